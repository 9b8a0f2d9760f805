import { expect, test } from "vitest";
import { type RuleSubject, ruleMatches } from "./match-rules.ts";

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
  ["a resource matches itself", { resources: ["pods"] }, {}, true],
  ["a resource does not match its subresources", { resources: ["pods"] }, status, false],
  ["a subresource is named with its parent", { resources: ["pods/status"] }, status, true],
  ["a subresource does not match its parent", { resources: ["pods/status"] }, {}, false],
  ["a resource with a star matches its subresources", { resources: ["pods/*"] }, status, true],
  ["a resource with a star matches itself", { resources: ["pods/*"] }, {}, true],
  ["a star with a subresource matches that of any resource", { resources: ["*/status"] }, status, true],
  ["a star with a subresource matches only that subresource", { resources: ["*/status"] }, {}, false],
  ["a star alone does not match subresources", { resources: ["*"] }, status, false],
  ["a star alone matches any resource", { resources: ["*"] }, {}, true],
  ["several resources", { resources: ["secrets", "pods"] }, {}, true],
  ["another resource does not match", { resources: ["secrets"] }, {}, false],
  ["another operation does not match", { operations: ["UPDATE", "DELETE"] }, {}, false],
  ["one of several operations matches", { operations: ["UPDATE", "CREATE"] }, {}, true],
  ["another group does not match", { apiGroups: ["apps"] }, {}, false],
  ["the core group is empty", { apiGroups: [""] }, {}, true],
  ["another version does not match", { apiVersions: ["v2"] }, {}, false],
  ["only namespaced", { scope: "Namespaced" }, {}, true],
  ["only cluster-wide", { scope: "Cluster" }, {}, false],
  ["only cluster-wide", { scope: "Cluster" }, { namespaced: false }, true],
  ["only namespaced", { scope: "Namespaced" }, { namespaced: false }, false],
];
for (const [why, rule, subject, matches] of cases) {
  test(`${why}: ${JSON.stringify(rule)} ${matches ? "matches" : "does not match"} ${JSON.stringify(subject)}`, () => {
    expect(ruleMatches({ ...everything, ...rule }, { ...pods, ...subject })).toBe(matches);
  });
}

test("a rule with an empty list matches nothing", () => {
  expect(ruleMatches({ ...everything, resources: [] }, pods)).toBe(false);
  expect(ruleMatches({}, pods)).toBe(false);
});
