import { expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import type { Fetch } from "../../client/contract.ts";
import { askServer } from "./ask-server.ts";
import { readVocabulary } from "./server-vocabulary.ts";

const signal = new AbortController().signal;
const answer =
  (status: number, body: unknown): Fetch =>
  async () =>
    new Response(JSON.stringify(body), { status });

test("the one who waits for a server hears of it once", async () => {
  const clock = createManualClock(0);
  let asked = 0;
  const waits: unknown[] = [];
  const fetch: Fetch = async () => {
    asked += 1;
    if (asked === 1) throw new Error("refused");
    return new Response("", { status: asked < 4 ? 503 : 200 });
  };
  let status = 0;
  const asking = askServer("/version", { fetch, clock, signal, waits: (cause) => waits.push(cause) }).then(
    (response) => {
      status = response.status;
    },
  );
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return status;
    })
    .toBe(200);
  await asking;
  expect([asked, waits]).toEqual([4, [new Error("refused")]]);
});

test.each([
  ["kubernetes", 200, { groups: [{ name: "apps" }, { name: "coordination.k8s.io" }] }],
  ["orch", 200, { groups: [{ name: "apps" }, { name: "coordination.orch.io" }] }],
  ["orch", 200, { groups: "none" }],
  ["orch", 403, { kind: "Status" }],
])("the names are those of %s if the server answers %i %j", async (name, status, body) => {
  const vocabulary = await readVocabulary(answer(status, body), "https://127.0.0.1", { log: silentLog });
  expect(vocabulary.name).toBe(name);
});
