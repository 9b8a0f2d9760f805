import { describe, expect, test } from "vitest";
import type { AuditedRequest, AuditedTarget } from "./contract.ts";
import { parsePolicy, policyRulesMax } from "./policy.ts";

const group = "audit.orch.io";
const policyOf = (rules: readonly object[], more: object = {}) =>
  parsePolicy({ apiVersion: `${group}/v1`, kind: "Policy", rules, ...more }, group);

const ann = { name: "ann", uid: "", groups: ["dev"], extra: new Map() };
const target: AuditedTarget = {
  verb: "get",
  isResource: true,
  path: "/api/v1/namespaces/a/pods/p",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "a",
  name: "p",
};
const request = (more: Partial<AuditedTarget> = {}): AuditedRequest => ({
  auditId: "1",
  uri: "/",
  target: { ...target, ...more },
  user: ann,
  sourceIps: [],
  userAgent: "",
  receivedMs: 0,
  recordedMs: 0,
});
const path = (text: string) => request({ isResource: false, path: text, resource: "", namespace: "", name: "" });

describe("a rule of an audit policy", () => {
  const cases: readonly { why: string; rule: object; request: AuditedRequest; matches: boolean }[] = [
    { why: "without conditions matches everything", rule: {}, request: request(), matches: true },
    { why: "names users", rule: { users: ["bob"] }, request: request(), matches: false },
    { why: "names groups of users", rule: { userGroups: ["dev", "qa"] }, request: request(), matches: true },
    {
      why: "about users does not match unauthenticated callers",
      rule: { users: ["ann"] },
      request: { ...request(), user: undefined },
      matches: false,
    },
    { why: "names verbs", rule: { verbs: ["list"] }, request: request(), matches: false },
    { why: "names namespaces", rule: { namespaces: ["b"] }, request: request(), matches: false },
    {
      why: "with an empty namespace matches cluster-scoped requests",
      rule: { namespaces: [""] },
      request: request({ namespace: "" }),
      matches: true,
    },
    {
      why: "about a group matches all its resources",
      rule: { resources: [{ group: "" }] },
      request: request(),
      matches: true,
    },
    { why: "of another group misses", rule: { resources: [{ group: "apps" }] }, request: request(), matches: false },
    {
      why: "for a resource does not match its subresources",
      rule: { resources: [{ group: "", resources: ["pods"] }] },
      request: request({ subresource: "log" }),
      matches: false,
    },
    {
      why: "for a subresource",
      rule: { resources: [{ group: "", resources: ["pods/log"] }] },
      request: request({ subresource: "log" }),
      matches: true,
    },
    {
      why: "for all subresources matches the resource too",
      rule: { resources: [{ group: "", resources: ["pods/*"] }] },
      request: request(),
      matches: true,
    },
    {
      why: "for a subresource of anything",
      rule: { resources: [{ group: "", resources: ["*/log"] }] },
      request: request({ subresource: "log" }),
      matches: true,
    },
    {
      why: "names objects",
      rule: { resources: [{ group: "", resources: ["pods"], resourceNames: ["q"] }] },
      request: request(),
      matches: false,
    },
    {
      why: "about resources does not match other paths",
      rule: { resources: [{ group: "" }] },
      request: path("/version"),
      matches: false,
    },
    { why: "about paths misses resources", rule: { nonResourceURLs: ["*"] }, request: request(), matches: false },
    { why: "about a path", rule: { nonResourceURLs: ["/version"] }, request: path("/version/x"), matches: false },
    {
      why: "with a star matches every path with the prefix",
      rule: { nonResourceURLs: ["/health*"] },
      request: path("/healthz"),
      matches: true,
    },
  ];
  for (const { why, rule, request: asked, matches } of cases) {
    test(why, () => {
      expect(policyOf([{ level: "Metadata", ...rule }]).check(asked).level).toBe(matches ? "Metadata" : "None");
    });
  }

  test("comes in order: the first that matches decides", () => {
    const policy = policyOf([
      { level: "None", users: ["bob"] },
      { level: "Request", verbs: ["get"] },
      { level: "Metadata" },
    ]);
    expect(policy.check(request()).level).toBe("Request");
    expect(policy.check(request({ verb: "list" })).level).toBe("Metadata");
  });

  test("omits its own stages and those of the policy", () => {
    const policy = policyOf([{ level: "Metadata", omitStages: ["Panic"] }], { omitStages: ["RequestReceived"] });
    expect([...policy.check(request()).omitStages].sort()).toEqual(["Panic", "RequestReceived"]);
  });
});

describe("a policy is refused", () => {
  const good = { level: "Metadata" };
  const bad: readonly [string, unknown, RegExp][] = [
    ["that is nothing", null, /must be an object/],
    ["of another kind", { apiVersion: "audit.orch.io/v1", kind: "Event", rules: [good] }, /must be a Policy/],
    ["of an unknown version", { apiVersion: "audit.orch.io/v2", kind: "Policy", rules: [good] }, /must be a Policy/],
    ["without rules", { apiVersion: "audit.orch.io/v1", kind: "Policy", rules: [] }, /must not be empty/],
  ];
  for (const [why, value, message] of bad) test(why, () => expect(() => parsePolicy(value, group)).toThrow(message));

  const badRules: readonly [string, object, RegExp][] = [
    ["with an unknown level", { level: "metadata" }, /rules\[0\]\.level/],
    ["with an unknown stage", { ...good, omitStages: ["Received"] }, /omitStages/],
    ["with a path that has no slash", { ...good, nonResourceURLs: ["healthz"] }, /must begin with/],
    ["with a star inside of a path", { ...good, nonResourceURLs: ["/a*/b"] }, /last character/],
    ["with paths and resources", { ...good, nonResourceURLs: ["/a"], resources: [{ group: "" }] }, /together/],
    ["with a star for a group", { ...good, resources: [{ group: "*" }] }, /API group/],
    ["with names but no resources", { ...good, resources: [{ group: "", resourceNames: ["a"] }] }, /needs resources/],
    ["with users that are not texts", { ...good, users: [1] }, /list of strings/],
  ];
  for (const [why, rule, message] of badRules)
    test(`with a rule ${why}`, () => expect(() => policyOf([rule])).toThrow(message));

  test("with too many rules", () => {
    expect(() => policyOf(Array(policyRulesMax + 1).fill(good))).toThrow(/at most 1000/);
  });
});
