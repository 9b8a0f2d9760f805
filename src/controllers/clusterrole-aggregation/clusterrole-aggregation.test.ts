import { expect, test } from "vitest";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { withControllers } from "../scenario.suite.ts";
import { aggregateRules } from "./reconcile.ts";
import { clusterRoleAggregation } from "./wire.ts";

const rule = (resource: string) => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });
const role = (
  name: string,
  rules: readonly string[],
  labels: Record<string, string> = { sum: "yes" },
): ClusterRole => ({
  metadata: { name, labels },
  rules: rules.map(rule),
});
const sum: ClusterRole = {
  metadata: { name: "sum", labels: { sum: "yes" } },
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { sum: "yes" } }] },
  rules: [rule("nodes")],
};

const cases = [
  {
    why: "rules are in the order of names",
    others: [role("b", ["secrets"]), role("a", ["pods"])],
    gathered: ["pods", "secrets"],
  },
  {
    why: "a rule that two roles have occurs once",
    others: [role("a", ["pods"]), role("b", ["pods"])],
    gathered: ["pods"],
  },
  { why: "roles with other labels are ignored", others: [role("a", ["pods"], { sum: "no" })], gathered: [] },
  { why: "a role never gathers its own rules", others: [sum], gathered: [] },
];
for (const { why, others, gathered } of cases) {
  test(why, () => expect(aggregateRules(sum, others)).toEqual(gathered.map(rule)));
}

const scenarios: Readonly<Record<string, Parameters<typeof withControllers>[2]>> = {
  "by server-side apply": {},
  "by an update where the gate of apply is off": { featureGates: { ServerSideApply: false } },
  "by an update where the gate of apply is off (kubernetes)": {
    featureGates: { ServerSideApply: false },
    vocabulary: "kubernetes",
  },
};
for (const [how, options] of Object.entries(scenarios)) {
  test(`aggregated rules replace written ones, and are removed when no role is selected any more, ${how}`, () =>
    withControllers(
      [clusterRoleAggregation],
      async ({ client, create, until }) => {
        await create(ClusterRole, sum);
        await create(ClusterRole, role("a", ["pods"]));
        await until(
          ClusterRole,
          { name: "sum" },
          ({ rules }) => rules?.[0]?.resources?.[0] === "pods" && rules.length === 1,
        );
        await client.of(ClusterRole).delete({ name: "a" });
        await until(ClusterRole, { name: "sum" }, ({ rules }) => (rules ?? []).length === 0);
      },
      options,
    ));
}
