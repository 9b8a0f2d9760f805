import { expect, test } from "vitest";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { finish } from "../../base/time-slice.ts";
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
  test(why, () => expect(finish(aggregateRules(sum, others))).toEqual(gathered.map(rule)));
}

test("a role of many selectors gathers many rules in steps, each of little work", () => {
  const many = 500;
  const others = Array.from({ length: 20 }, (_, at) =>
    role(
      `r${at}`,
      [...Array(many).keys()].map((n) => `${at}-${n}`),
    ),
  );
  const selectors = Array.from({ length: many }, (_, at) => ({ matchLabels: { [`none${at}`]: "yes" } }));
  const gathering: ClusterRole = {
    metadata: { name: "sum" },
    rules: [],
    aggregationRule: { clusterRoleSelectors: [...selectors, { matchLabels: { sum: "yes" } }] },
  };
  const steps = aggregateRules(gathering, others);
  let count = 0;
  for (let step = steps.next(); ; step = steps.next(), count++) {
    if (!step.done) continue;
    expect(step.value).toHaveLength(20 * many);
    break;
  }
  expect(count).toBeGreaterThan(many);
});

/** The last release in which the gate can be off. */
const early = { emulatedVersion: "1.21" } as const;
const scenarios: Readonly<Record<string, Parameters<typeof withControllers>[2]>> = {
  "by server-side apply": {},
  "by an update where the gate of apply is off": { featureGates: { ServerSideApply: false }, server: early },
  "by an update where the gate of apply is off (kubernetes)": {
    featureGates: { ServerSideApply: false },
    server: early,
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
