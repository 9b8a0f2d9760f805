import { expect, test } from "vitest";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { withControllers } from "../scenario.suite.ts";
import { missingAccounts } from "./reconcile.ts";
import { serviceAccountController } from "./wire.ts";

const inPhase = (phase: "Active" | "Terminating"): Namespace => ({ metadata: { name: "shop" }, status: { phase } });

const cases = [
  { why: "an active namespace needs its account", namespace: inPhase("Active"), has: [], missing: ["default"] },
  { why: "an existing account is unchanged", namespace: inPhase("Active"), has: ["default"], missing: [] },
  { why: "a terminating namespace gets none", namespace: inPhase("Terminating"), has: [], missing: [] },
  { why: "a deleted namespace gets none", namespace: undefined, has: [], missing: [] },
];
for (const { why, namespace, has, missing } of cases) {
  test(why, () => expect(missingAccounts(namespace, (name) => has.includes(name as never))).toEqual(missing));
}

for (const vocabulary of ["orch", "kubernetes"] as const) {
  test(`every namespace gets an account, and another when it is deleted (${vocabulary})`, () =>
    withControllers(
      [serviceAccountController],
      async ({ client, create, until }) => {
        await create(Namespace, { metadata: { name: "shop" } });
        const ref = { namespace: "shop", name: "default" };
        const first = await until(ServiceAccount, ref, () => true);
        await until(ServiceAccount, { namespace: "default", name: "default" }, () => true);
        await client.of(ServiceAccount).delete(ref);
        const second = await until(ServiceAccount, ref, ({ metadata }) => metadata.uid !== first.metadata.uid);
        expect(second.metadata.uid).toBeDefined();
      },
      { vocabulary },
    ));
}
