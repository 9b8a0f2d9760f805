import { expect, test } from "vitest";
import { isShown, keptRequestsMax, readableBody, withRequests } from "./requests.ts";

const request = {
  number: 7,
  user: "system:serviceaccount:shop:robot",
  verb: "patch",
  group: "apps",
  resource: "deployments",
  target: "/apis/apps/v1/namespaces/shop/deployments/web",
  code: 409,
  userAgent: "robot/1.0",
};
const all = { user: "", verb: "", target: "", code: "" };
const none = { consoles: false, system: false };

test.each([
  { why: "no filter", filter: {}, is: true },
  { why: "a part of the user", filter: { user: "ROBOT" }, is: true },
  { why: "another user", filter: { user: "admin" }, is: false },
  { why: "a part of the path", filter: { target: "shop/deployments" }, is: true },
  { why: "the resource with its group", filter: { target: "deployments.apps" }, is: true },
  { why: "another group", filter: { target: "deployments.batch" }, is: false },
  { why: "the code", filter: { code: "409" }, is: true },
  { why: "any code of the hundred", filter: { code: "4xx" }, is: true },
  { why: "another hundred", filter: { code: "5xx" }, is: false },
  { why: "all of several", filter: { user: "robot", verb: "get" }, is: false },
])("a request is shown by $why: $is", ({ filter, is }) => {
  expect(isShown(request, { ...all, ...filter }, none)).toBe(is);
});

test("requests of consoles are left out unless they are asked for", () => {
  for (const userAgent of ["console", "Mozilla/5.0 (X11)"]) {
    expect(isShown({ ...request, userAgent }, all, none)).toBe(false);
    expect(isShown({ ...request, userAgent }, all, { ...none, consoles: true })).toBe(true);
  }
});

test.each([
  "system:orch-controller-manager",
  "system:kube-scheduler",
  "system:node:node-1",
  "system:apiserver",
  "system:serviceaccount:kube-system:job-controller",
])("what the system does by itself is left out unless it is asked for: %s", (user) => {
  const own = { ...request, user };
  expect(isShown(own, all, none)).toBe(false);
  expect(isShown(own, all, { ...none, system: true })).toBe(true);
  expect(isShown(own, { ...all, user: user.slice(0, 9) }, none)).toBe(true);
});

test("leases are left out unless they are asked for", () => {
  const lease = { ...request, resource: "leases", target: "/apis/coordination.orch.io/v1/namespaces/shop/leases/a" };
  expect(isShown(lease, all, none)).toBe(false);
  expect(isShown(lease, all, { ...none, system: true })).toBe(true);
  expect(isShown(lease, { ...all, target: "leases" }, none)).toBe(true);
});

test("the newest requests are kept, and a watch that has ended replaces itself", () => {
  const many = Array.from({ length: keptRequestsMax + 1 }, (_, number) => ({ number, code: 0 }));
  const kept = withRequests(withRequests([], many), [{ number: 5, code: 200 }]);
  expect([kept.length, kept[0]?.["number"]]).toEqual([keptRequestsMax, 1]);
  expect(kept.filter(({ number }) => number === 5)).toEqual([{ number: 5, code: 200 }]);
});

test("bodies are readable", () => {
  expect([readableBody('{"a":1}'), readableBody('{"a":')]).toEqual(['{\n  "a": 1\n}', '{"a":']);
});
