import { describe, expect, test } from "vitest";
import { builtInSchemas } from "../api/flowcontrol/v1beta1/built-in.ts";
import type { FlowSchemaSpec, PolicyRulesWithSubjects, Subject } from "../api/flowcontrol/v1beta1/flow-schema-spec.ts";
import type { Attributes } from "../authz/contract.ts";
import { plainEnvironment } from "../machinery/schema/environment.suite.ts";
import { Matcher } from "./matcher.ts";

interface Asked extends Partial<Omit<Attributes, "user">> {
  readonly user?: string;
  readonly groups?: readonly string[];
}

function request({ user = "jane", groups = ["system:authenticated"], ...more }: Asked): Attributes {
  return {
    user: { name: user, uid: "", groups, extra: new Map() },
    verb: "get",
    isResource: more.path === undefined,
    path: "/api/v1/pods",
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "",
    namespace: "a",
    name: "p",
    ...more,
  };
}

const schema = (rules: PolicyRulesWithSubjects[], matchingPrecedence = 1_000): FlowSchemaSpec => ({
  priorityLevelConfiguration: { name: "l" },
  matchingPrecedence,
  rules,
});
const jane: Subject = { kind: "User", user: { name: "jane" } };
const all = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true };
const matches = (rule: PolicyRulesWithSubjects, asked: Asked) =>
  new Matcher([{ name: "s", spec: schema([rule]), value: true }]).find(request(asked)) ?? false;

describe("subjects", () => {
  const account = (namespace: string, name: string): Subject => ({
    kind: "ServiceAccount",
    serviceAccount: { namespace, name },
  });
  const cases: [why: string, subject: Subject, asked: Asked, expected: boolean][] = [
    ["a user by name", jane, {}, true],
    ["not another user", jane, { user: "joe" }, false],
    ["any user", { kind: "User", user: { name: "*" } }, { user: "joe" }, true],
    ["a group", { kind: "Group", group: { name: "g" } }, { groups: ["f", "g"] }, true],
    ["not another group", { kind: "Group", group: { name: "g" } }, { groups: ["f"] }, false],
    ["any group, even for a user without groups", { kind: "Group", group: { name: "*" } }, { groups: [] }, true],
    ["a service account", account("n", "s"), { user: "system:serviceaccount:n:s" }, true],
    ["not that of another namespace", account("n", "s"), { user: "system:serviceaccount:m:s" }, false],
    ["all service accounts of a namespace", account("n", "*"), { user: "system:serviceaccount:n:x" }, true],
    ["not those of a namespace with the same prefix", account("n", "*"), { user: "system:serviceaccount:n2:x" }, false],
    ["not a user that is not a service account", account("n", "*"), { user: "n" }, false],
    ["nothing if the member of the subject's kind is missing", { kind: "User" }, {}, false],
  ];
  test.each(cases)("match %s", (_why, subject, asked, expected) => {
    expect(matches({ subjects: [subject], resourceRules: [all] }, asked)).toBe(expected);
  });
});

describe("resource rules", () => {
  const cases: [why: string, rule: Partial<typeof all>, asked: Asked, expected: boolean][] = [
    ["a verb", { verbs: ["get", "list"] }, {}, true],
    ["not another verb", { verbs: ["list"] }, {}, false],
    ["the core group by its empty name", { apiGroups: [""] }, {}, true],
    ["not another group", { apiGroups: ["apps"] }, {}, false],
    ["a resource", { resources: ["pods"] }, {}, true],
    ["not its subresource", { resources: ["pods"] }, { subresource: "status" }, false],
    ["a subresource", { resources: ["pods/status"] }, { subresource: "status" }, true],
    ["not all subresources by a star", { resources: ["pods/*"] }, { subresource: "status" }, false],
    ["a namespace", { namespaces: ["b", "a"], clusterScope: false }, {}, true],
    ["not another namespace", { namespaces: ["b"] }, {}, false],
    ["no cluster-wide request by namespaces alone", { clusterScope: false }, { namespace: "" }, false],
    ["cluster-wide requests by clusterScope", { namespaces: [] }, { namespace: "" }, true],
    ["no namespaced request by clusterScope alone", { namespaces: [] }, {}, false],
    ["no other path", {}, { path: "/healthz" }, false],
  ];
  test.each(cases)("match %s", (_why, rule, asked, expected) => {
    expect(matches({ subjects: [jane], resourceRules: [{ ...all, ...rule }] }, asked)).toBe(expected);
  });
});

describe("non-resource rules", () => {
  const cases: [why: string, urls: string[], verbs: string[], path: string, expected: boolean][] = [
    ["a path", ["/healthz"], ["get"], "/healthz", true],
    ["not what is below it", ["/healthz"], ["get"], "/healthz/ping", false],
    ["what is below a path", ["/healthz/*"], ["get"], "/healthz/ping", true],
    ["not the path itself in that case", ["/healthz/*"], ["get"], "/healthz", false],
    ["all paths", ["*"], ["*"], "/", true],
    ["not another verb", ["*"], ["post"], "/", false],
  ];
  test.each(cases)("match %s", (_why, nonResourceURLs, verbs, path, expected) => {
    expect(matches({ subjects: [jane], nonResourceRules: [{ verbs, nonResourceURLs }] }, { path })).toBe(expected);
  });
  test("do not match a resource", () => {
    const nonResourceRules = [{ verbs: ["*"], nonResourceURLs: ["*"] }];
    expect(matches({ subjects: [jane], nonResourceRules }, {})).toBe(false);
  });
});

describe("of several matching schemas", () => {
  const rule = { subjects: [jane], resourceRules: [all] };
  const group = { subjects: [{ kind: "Group", group: { name: "g" } }], resourceRules: [all] };
  const find = (...candidates: [name: string, spec: FlowSchemaSpec][]) =>
    new Matcher(candidates.map(([name, spec]) => ({ name, spec, value: name }))).find(request({ groups: ["f", "g"] }));
  test("the one with the lowest precedence is used, whichever subject it matches by", () => {
    expect(find(["a", schema([rule], 20)], ["b", schema([group], 10)])).toBe("b");
    expect(find(["a", schema([rule], 10)], ["b", schema([group], 20)])).toBe("a");
  });
  test("of those with the same precedence, the first by name", () => {
    expect(find(["b", schema([rule], 10)], ["a", schema([group], 10)])).toBe("a");
  });
  test("a schema whose first rule does not match is tried with its other rules", () => {
    const other = { subjects: [jane], resourceRules: [{ ...all, verbs: ["list"] }] };
    expect(find(["a", schema([other, rule], 10)], ["b", schema([rule], 20)])).toBe("a");
  });
  test("none: the result is undefined", () => expect(find()).toBe(undefined));
});

describe("the built-in schemas", () => {
  const candidates = builtInSchemas(plainEnvironment()).map(({ name, spec }) => ({
    name,
    spec: spec as FlowSchemaSpec,
    value: name,
  }));
  const matcher = new Matcher(candidates);
  const cases: [asked: Asked, expected: string][] = [
    [{ groups: ["system:masters", "system:authenticated"] }, "exempt"],
    [{ path: "/readyz", groups: ["system:unauthenticated"] }, "probes"],
    [{ path: "/version" }, "global-default"],
    [{ user: "system:node:n", groups: ["system:nodes", "system:authenticated"] }, "system-nodes"],
    [{ user: "system:orch-scheduler" }, "orch-scheduler"],
    [
      { user: "system:orch-scheduler", verb: "update", group: "coordination.orch.io", resource: "leases" },
      "system-leader-election",
    ],
    [
      { user: "system:serviceaccount:orch-system:x", groups: ["system:serviceaccounts"] },
      "orch-system-service-accounts",
    ],
    [{ user: "system:serviceaccount:a:x", groups: ["system:serviceaccounts"] }, "service-accounts"],
    [{}, "global-default"],
  ];
  test.each(cases)("%j is assigned to %s", (asked, expected) => expect(matcher.find(request(asked))).toBe(expected));
});
