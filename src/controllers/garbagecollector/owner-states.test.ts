import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createClient } from "../../client/client.ts";
import { orch } from "../../vocabulary/orch.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { Graph } from "./graph.ts";
import { createOwnerStates } from "./owner-states.ts";

const toys = { group: "example.com", version: "v1", resource: "toys", kind: "Toy", namespaced: true };

test("an owner that is known to be gone is absent, also when its kind is gone too", async () => {
  const graph = new Graph();
  const absent = new AbsentOwners();
  graph.put({ metadata: { namespace: "shop", name: "ball", uid: "1" } }, toys);
  const ball = graph.get("1");
  if (ball === undefined) throw new Error("it was put");
  absent.add(ball, "shop");
  const fetch = () => Promise.reject(new Error("the server need not be asked"));
  const client = createClient({ fetch, vocabulary: orch, clock: systemClock, userAgent: "test" });
  const owners = createOwnerStates({ client, graph, absent, addressOf: () => undefined });
  expect(await owners.isAbsent(ball)).toBe(true);
});
