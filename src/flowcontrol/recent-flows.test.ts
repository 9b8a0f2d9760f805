import { expect, test } from "vitest";
import type { Attributes } from "../authz/contract.ts";
import type { User } from "../machinery/meta/user.ts";
import type { SchemaFlows } from "./flow.ts";
import { type Flow, RecentFlows, recentRequestsMax, recentUsersMax } from "./recent-flows.ts";

const user = (name: string, ...groups: string[]): User => ({ name, uid: "", groups, extra: new Map() });
const jane = user("jane", "staff");
const request = (more: Partial<Attributes> = {}): Attributes => ({
  user: jane,
  verb: "get",
  isResource: true,
  path: "/api/v1/namespaces/a/pods/p",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "a",
  name: "p",
  ...more,
});
const flow: Flow = { schema: {} as SchemaFlows, distinguisher: "jane", hand: [1] }; // only kept, never used

const same: [why: string, more: Partial<Attributes>][] = [
  ["the name of the object", { name: "q", path: "/api/v1/namespaces/a/pods/q" }],
  ["the version", { version: "v2" }],
];
const other: [why: string, more: Partial<Attributes>][] = [
  ["the verb", { verb: "list" }],
  ["the group", { group: "apps" }],
  ["the resource", { resource: "nodes" }],
  ["the subresource", { subresource: "status" }],
  ["the namespace", { namespace: "b" }],
  ["the user", { user: user("joe", "staff") }],
  ["the user's groups", { user: user("jane", "guests") }],
  ["whether its path is a resource", { isResource: false }],
];
test.each(same)("a request that differs in %s has the same flow", (_, more) => {
  const recent = new RecentFlows();
  recent.remember(request(), flow);
  expect(recent.find(request(more))).toBe(flow);
});
test.each(other)("a request that differs in %s may have another flow", (_, more) => {
  const recent = new RecentFlows();
  recent.remember(request(), flow);
  expect(recent.find(request(more))).toBeUndefined();
});
test("requests for non-resource paths are distinguished by their paths", () => {
  const recent = new RecentFlows();
  const health = { isResource: false, path: "/healthz", resource: "", namespace: "" };
  recent.remember(request(health), flow);
  expect(recent.find(request(health))).toBe(flow);
  expect(recent.find(request({ ...health, path: "/metrics" }))).toBeUndefined();
});
test("a bounded number of flows is cached for each user, the latest ones", () => {
  const recent = new RecentFlows();
  const nth = (count: number) => request({ namespace: `n${count}` });
  for (let count = 0; count <= recentRequestsMax; count++) recent.remember(nth(count), flow);
  expect([recent.find(nth(0)), recent.find(nth(1)), recent.find(nth(recentRequestsMax))]).toEqual([
    undefined,
    flow,
    flow,
  ]);
});
test("more users than the limit replace the oldest ones", () => {
  const recent = new RecentFlows();
  const nth = (count: number) => request({ user: user(`user-${count}`) });
  const last = nth(recentUsersMax);
  for (let count = 0; count < recentUsersMax; count++) recent.remember(nth(count), flow);
  recent.remember(last, flow);
  expect([recent.find(nth(0)), recent.find(last)]).toEqual([undefined, flow]);
});
