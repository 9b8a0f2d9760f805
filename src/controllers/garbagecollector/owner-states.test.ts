import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createClient } from "../../client/client.ts";
import type { Fetch } from "../../client/contract.ts";
import { orch } from "../../vocabulary/orch.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { Graph } from "./graph.ts";
import { createOwnerStates } from "./owner-states.ts";

const neverAsked = () => Promise.reject(new Error("the server need not be asked"));
const clientOf = (fetch: Fetch) => createClient({ fetch, vocabulary: orch, clock: systemClock, userAgent: "test" });

const toys = { group: "example.com", version: "v1", resource: "toys", kind: "Toy", namespaced: true };

test("an owner that is known to be gone is absent, also when its kind is gone too", async () => {
  const graph = new Graph();
  const absent = new AbsentOwners();
  graph.put({ metadata: { namespace: "shop", name: "ball", uid: "1" } }, toys);
  const ball = graph.get("1");
  if (ball === undefined) throw new Error("it was put");
  absent.add(ball, "shop");
  const owners = createOwnerStates({ client: clientOf(neverAsked), graph, absent, addressOf: () => undefined });
  expect(await owners.isAbsent(ball)).toBe(true);
});

test("a reference with the uid of an owner and the group of another kind does not show that the owner is gone", async () => {
  const graph = new Graph();
  const absent = new AbsentOwners();
  graph.put({ metadata: { namespace: "shop", name: "box", uid: "2" } }, toys);
  const metadata = { namespace: "shop", name: "ball", uid: "1" };
  const answer = (path: string) =>
    path.includes("/apis/example.com/")
      ? Response.json({ kind: "PartialObjectMetadata", apiVersion: "meta.orch.io/v1", metadata })
      : Response.json({ kind: "Status", apiVersion: "v1", reason: "NotFound", code: 404 }, { status: 404 });
  const owners = createOwnerStates({
    client: clientOf(async (path) => answer(path)),
    graph,
    absent,
    addressOf: (apiVersion) => ({ ...toys, group: apiVersion.split("/")[0]! }),
  });
  const box = graph.get("2")!;
  const ball = { kind: "Toy", name: "ball", uid: "1" };
  expect(await owners.stateOf(box, { apiVersion: "other.com/v1", ...ball })).toBe("absent");
  expect(await owners.stateOf(box, { apiVersion: "example.com/v1", ...ball })).toBe("solid");
});
