/** A workspace that floods the server: others wait for turns, not for all that it has sent. */

import { expect, test } from "vitest";
import type { Ticket } from "../../flowcontrol/contract.ts";
import { openWithClock } from "./clock.fixture.ts";
import { asOneFlow } from "./open-workspace.ts";

const asked = (name: string) => ({
  user: { name, uid: "", groups: ["system:masters", "system:authenticated"], extra: new Map() },
  verb: "list",
  isResource: true,
  path: "/api/v1/configmaps",
  group: "",
  version: "v1",
  resource: "configmaps",
  subresource: "",
  namespace: "",
  name: "",
});

test("requests of all users of a workspace are one flow, which another workspace does not wait behind", async () => {
  const { server } = await openWithClock(10);
  const [shop, bank] = ["shop", "bank"].map((name) => asOneFlow(server.fairness!, name)) as [
    ReturnType<typeof asOneFlow>,
    ReturnType<typeof asOneFlow>,
  ];
  // As many users as the workspace likes to name, with the groups that it likes to give them.
  const flood: Ticket[] = [];
  for (let at = 0; at < 3_000; at++) flood.push(shop.admit(asked(`user-${at}`)));
  const inPhase = (phase: Ticket["phase"]) => flood.filter((one) => one.phase === phase);
  expect([inPhase("rejected").length > 0, inPhase("waiting").length > 0]).toEqual([true, true]);
  const running = inPhase("executing");

  const ticket = bank.admit(asked("clerk"));
  expect(ticket.phase).toBe("waiting");
  let turns = 0;
  while (ticket.phase === "waiting" && turns < running.length) running[turns++]?.end();
  expect(ticket.phase).toBe("executing");
  // One for each queue that a flow may fill, and not one for each of the hundreds that wait.
  expect(turns).toBeLessThanOrEqual(8);
  ticket.end();
  for (const one of flood) one.end();
  await server.close();
});
