import { expect, test } from "vitest";
import { type RuleSubject, ruleMatches } from "./rules.ts";

const pods: RuleSubject = {
  operation: "CREATE",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespaced: true,
};
const everything = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], scope: "*" };
const status = { subresource: "status" };

const cases: readonly [
  why: string,
  rule: Partial<typeof everything>,
  subject: Partial<RuleSubject>,
  matches: boolean,
][] = [
  ["wildcards match all", {}, {}, true],
  ["a resource is itself", { resources: ["pods"] }, {}, true],
  ["a resource has no subresources", { resources: ["pods"] }, status, false],
  ["a subresource is named with its parent", { resources: ["pods/status"] }, status, true],
  ["a subresource is not its parent", { resources: ["pods/status"] }, {}, false],
  ["all below a resource, and itself", { resources: ["pods/*"] }, status, true],
  ["all below a resource, and itself", { resources: ["pods/*"] }, {}, true],
  ["a subresource of any resource", { resources: ["*/status"] }, status, true],
  ["a subresource of any resource", { resources: ["*/status"] }, {}, false],
  ["a star alone has no subresources", { resources: ["*"] }, status, false],
  ["a star alone is any resource", { resources: ["*"] }, {}, true],
  ["several resources", { resources: ["secrets", "pods"] }, {}, true],
  ["another resource", { resources: ["secrets"] }, {}, false],
  ["another operation", { operations: ["UPDATE", "DELETE"] }, {}, false],
  ["one of several operations", { operations: ["UPDATE", "CREATE"] }, {}, true],
  ["another group", { apiGroups: ["apps"] }, {}, false],
  ["the core group is empty", { apiGroups: [""] }, {}, true],
  ["another version", { apiVersions: ["v2"] }, {}, false],
  ["only namespaced", { scope: "Namespaced" }, {}, true],
  ["only cluster-wide", { scope: "Cluster" }, {}, false],
  ["only cluster-wide", { scope: "Cluster" }, { namespaced: false }, true],
  ["only namespaced", { scope: "Namespaced" }, { namespaced: false }, false],
];
for (const [why, rule, subject, matches] of cases) {
  test(`${why}: ${JSON.stringify(rule)} ${matches ? "is" : "is not"} about ${JSON.stringify(subject)}`, () => {
    expect(ruleMatches({ ...everything, ...rule }, { ...pods, ...subject })).toBe(matches);
  });
}

test("a rule with an empty list matches nothing", () => {
  expect(ruleMatches({ ...everything, resources: [] }, pods)).toBe(false);
  expect(ruleMatches({}, pods)).toBe(false);
});
