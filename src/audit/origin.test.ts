import { expect, test } from "vitest";
import { checksCaches } from "../base/cache-check.ts";
import type { AuditedRequest, AuditedTarget, ObjectNames } from "./contract.ts";
import { cachedUrisMax, printOrigin } from "./origin.ts";

const ann = { name: "ann", uid: "", groups: [], extra: new Map() };
const bob = { ...ann, name: "bob" };
const pod: AuditedTarget = {
  verb: "get",
  isResource: true,
  path: "/",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "",
  name: "web",
};

const requestFor = (uri: string, more: Partial<AuditedRequest> = {}): AuditedRequest => ({
  auditId: "1",
  uri,
  target: pod,
  user: ann,
  sourceIps: ["::1"],
  userAgent: "",
  receivedMs: 0,
  recordedMs: 0,
  ...more,
});

interface Shown {
  readonly requestURI: string;
  readonly objectRef?: object;
}
const shown = (request: AuditedRequest, impersonated?: typeof ann, names?: ObjectNames) =>
  JSON.parse(`{${printOrigin(request, impersonated, names).slice(1)}}`) as Shown;

test("requests for one URI that alternate in anything show what is their own", () => {
  const plain = { requestURI: "/a", verb: "get", user: { username: "ann" }, sourceIPs: ["::1"] };
  const objectRef = { resource: "pods", name: "web", apiVersion: "v1" };
  const cases: readonly [Shown, object][] = [
    [shown(requestFor("/a")), { ...plain, objectRef }],
    [shown(requestFor("/a", { user: bob })), { ...plain, user: { username: "bob" }, objectRef }],
    [shown(requestFor("/a", { user: undefined })), { ...plain, user: {}, objectRef }],
    [shown(requestFor("/a", { target: { ...pod, verb: "delete" } })), { ...plain, verb: "delete", objectRef }],
    [shown(requestFor("/a", { userAgent: "x" })), { ...plain, userAgent: "x", objectRef }],
    [shown(requestFor("/a", { sourceIps: ["::2"] })), { ...plain, sourceIPs: ["::2"], objectRef }],
    [shown(requestFor("/a", { sourceIps: ["::1", "::2"] })), { ...plain, sourceIPs: ["::1", "::2"], objectRef }],
    [shown(requestFor("/a"), bob), { ...plain, impersonatedUser: { username: "bob" }, objectRef }],
    [shown(requestFor("/a"), undefined, { name: "db" }), { ...plain, objectRef: { ...objectRef, name: "db" } }],
    [shown(requestFor("/a")), { ...plain, objectRef }],
  ];
  for (const [actual, expected] of cases) expect(actual).toEqual(expected);
});

test("what a URI with a query asks for is printed for each request", () => {
  for (const name of ["one", "two"]) {
    const { objectRef } = shown(requestFor("/a?x", { target: { ...pod, name } }));
    expect(objectRef).toMatchObject({ name });
  }
});

// It asks for what a URI alone would decide wrongly.
test.skipIf(checksCaches)("the texts of a limited number of URIs are cached", () => {
  const nameOf = (uri: string, name: string) => shown(requestFor(uri, { target: { ...pod, name } })).objectRef;
  nameOf("/cached", "one");
  expect(nameOf("/cached", "two")).toMatchObject({ name: "one" });
  for (let count = 0; count <= cachedUrisMax; count++) printOrigin(requestFor(`/b/${count}`), undefined, undefined);
  expect(nameOf("/cached", "two")).toMatchObject({ name: "two" });
});
