import { describe, expect, test } from "vitest";
import { tableRow } from "../../machinery/table/table.ts";
import { bindVersions, create, update } from "../life.suite.ts";
import { ClusterRole } from "./v1/cluster-role.ts";
import { ClusterRoleBinding } from "./v1/cluster-role-binding.ts";
import { Role } from "./v1/role.ts";
import { RoleBinding } from "./v1/role-binding.ts";

const metadata = { name: "x" };
const apiGroup = "rbac.authorization.orch.io";
const role = bindVersions([Role]).version("v1");
const clusterRole = bindVersions([ClusterRole]).version("v1");
const roleBinding = bindVersions([RoleBinding]).version("v1");
const clusterRoleBinding = bindVersions([ClusterRoleBinding]).version("v1");

describe("a rule", () => {
  const cases = [
    {
      why: "must have verbs, groups and resources",
      rule: {},
      ofRole: ["Required rules[0].apiGroups", "Required rules[0].resources", "Required rules[0].verbs"],
      ofClusterRole: ["Required rules[0].apiGroups", "Required rules[0].resources", "Required rules[0].verbs"],
    },
    {
      why: "may name the core group and single objects",
      rule: { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] },
      ofRole: [],
      ofClusterRole: [],
    },
    {
      why: "may name paths in cluster roles only",
      rule: { verbs: ["get"], nonResourceURLs: ["/healthz"] },
      ofRole: ["Invalid rules[0].nonResourceURLs"],
      ofClusterRole: [],
    },
    {
      why: "must not combine paths and resources",
      rule: { verbs: ["get"], nonResourceURLs: ["/healthz"], apiGroups: [""], resources: ["pods"] },
      ofRole: ["Invalid rules[0].nonResourceURLs", "Invalid rules[0].nonResourceURLs"],
      ofClusterRole: ["Invalid rules[0].nonResourceURLs"],
    },
  ];
  for (const { why, rule, ofRole, ofClusterRole } of cases) {
    test(why, () => {
      const body = { metadata, rules: [rule] };
      expect([create(role, body).problems, create(clusterRole, body).problems]).toEqual([ofRole, ofClusterRole]);
      expect(update(role, body, create(role, { metadata, rules: [] })).problems).toEqual(ofRole);
    });
  }

  test("is optional in a role", () => {
    for (const kind of [role, clusterRole]) {
      const { object, problems } = create(kind, { metadata, rules: [] });
      expect([object["rules"], problems]).toEqual([null, []]);
    }
  });
});

describe("an aggregated role", () => {
  const at = "aggregationRule.clusterRoleSelectors";
  const cases = [
    { why: "needs selectors", selectors: [], problems: [`Required ${at}`] },
    { why: "may select all roles", selectors: [{}], problems: [] },
    { why: "may select by labels", selectors: [{ matchLabels: { a: "b" } }], problems: [] },
    {
      why: "must have valid labels in its selectors",
      selectors: [{ matchLabels: { a: "b b" } }, { matchExpressions: [{ key: "a", operator: "In" }] }],
      problems: [
        `Invalid ${at}[0]`,
        `Invalid ${at}[0].matchLabels`,
        `Invalid ${at}[1]`,
        `Required ${at}[1].matchExpressions[0].values`,
      ],
    },
  ];
  for (const { why, selectors, problems } of cases) {
    const body = { metadata, rules: [], aggregationRule: { clusterRoleSelectors: selectors } };
    test(why, () => expect(create(clusterRole, body).problems).toEqual(problems));
  }
});

describe("a binding", () => {
  const roleRef = { kind: "ClusterRole", name: "r" };
  const account = { kind: "ServiceAccount", name: "s" };
  const cases = [
    { why: "may have no subjects", given: { roleRef }, inNamespace: [], everywhere: [] },
    {
      why: "must name a role",
      given: { roleRef: { apiGroup: "apps", kind: "Deployment", name: "" } },
      inNamespace: ["NotSupported roleRef.apiGroup", "NotSupported roleRef.kind", "Required roleRef.name"],
      everywhere: ["NotSupported roleRef.apiGroup", "NotSupported roleRef.kind", "Required roleRef.name"],
    },
    {
      why: "must not grant a Role in the whole cluster",
      given: { roleRef: { kind: "Role", name: "r" } },
      inNamespace: [],
      everywhere: ["NotSupported roleRef.kind"],
    },
    {
      why: "must have a role name that is a valid path segment",
      given: { roleRef: { kind: "ClusterRole", name: "a/b" } },
      inNamespace: ["Invalid roleRef.name"],
      everywhere: ["Invalid roleRef.name"],
    },
    {
      why: "must have the namespace of a service account",
      given: { roleRef, subjects: [account] },
      inNamespace: [],
      everywhere: ["Required subjects[0].namespace"],
    },
    {
      why: "must have valid subjects",
      given: {
        roleRef,
        subjects: [
          { kind: "User", name: "" },
          { kind: "Group", name: "g", apiGroup: "other" },
          { kind: "Robot", name: "r" },
          { ...account, name: "Not A Name", namespace: "n" },
          { ...account, apiGroup, namespace: "n" },
        ],
      },
      inNamespace: [
        "Invalid subjects[3].name",
        "NotSupported subjects[1].apiGroup",
        "NotSupported subjects[2].kind",
        "NotSupported subjects[4].apiGroup",
        "Required subjects[0].name",
      ],
      everywhere: [
        "Invalid subjects[3].name",
        "NotSupported subjects[1].apiGroup",
        "NotSupported subjects[2].kind",
        "NotSupported subjects[4].apiGroup",
        "Required subjects[0].name",
      ],
    },
  ];
  for (const { why, given, inNamespace, everywhere } of cases) {
    test(why, () => {
      const body = { metadata, ...given };
      expect([create(roleBinding, body).problems, create(clusterRoleBinding, body).problems]).toEqual([
        inNamespace,
        everywhere,
      ]);
    });
  }

  test("defaults the API group of roles, users and groups, but not of service accounts", () => {
    const subjects = [{ kind: "User", name: "u" }, { kind: "Group", name: "g" }, account];
    expect(create(roleBinding, { metadata, roleRef, subjects }).object).toMatchObject({
      roleRef: { apiGroup },
      subjects: [{ apiGroup }, { apiGroup }, account],
    });
    expect(create(roleBinding, { metadata, roleRef, subjects: [account] }).object["subjects"]).toEqual([account]);
  });

  test("must not change its role, but may change its subjects", () => {
    for (const kind of [roleBinding, clusterRoleBinding]) {
      const old = create(kind, { metadata, roleRef });
      const subjects = [{ kind: "User", name: "u" }];
      expect(update(kind, { metadata, roleRef, subjects }, old).problems).toEqual([]);
      expect(update(kind, { metadata, roleRef: { ...roleRef, name: "admin" }, subjects }, old).problems).toEqual([
        "Invalid roleRef",
      ]);
    }
  });

  test("shows the role and its subjects", () => {
    const subjects = [
      { kind: "User", name: "u" },
      { kind: "User", name: "v" },
      { kind: "Group", name: "g" },
      { ...account, namespace: "n" },
    ];
    for (const kind of [roleBinding, clusterRoleBinding]) {
      const row = tableRow(kind, create(kind, { metadata, roleRef, subjects }).object, kind.family.environment);
      expect([...row.slice(0, 2), ...row.slice(3)]).toEqual(["x", "ClusterRole/r", "u, v", "g", "n/s"]);
    }
  });
});
