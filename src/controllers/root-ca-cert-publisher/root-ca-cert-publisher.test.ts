import { expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Namespace } from "../../api/core/v1/namespace.ts";
import { withControllers } from "../scenario.suite.ts";
import { planRootCa } from "./reconcile.ts";
import { rootCaCertPublisher } from "./wire.ts";

const given = { name: "orch-root-ca.crt", rootCa: "PEM" };
const active: Namespace = { metadata: { name: "shop" }, status: { phase: "Active" } };
const map = (data: Record<string, string>): ConfigMap => ({
  metadata: { name: given.name, labels: { mine: "yes" } },
  data,
});
const cases = [
  { why: "created if it is missing", namespace: active, known: undefined, change: "create" },
  { why: "unchanged if it is right", namespace: active, known: map({ "ca.crt": "PEM" }), change: "none" },
  { why: "restored if it was changed", namespace: active, known: map({ "ca.crt": "x" }), change: "update" },
  {
    why: "foreign keys are removed",
    namespace: active,
    known: map({ "ca.crt": "PEM", more: "x" }),
    change: "update",
  },
  {
    why: "a terminating namespace gets none",
    namespace: { ...active, status: { phase: "Terminating" as const } },
    known: undefined,
    change: "none",
  },
];
for (const { why, namespace, known, change } of cases) {
  test(why, () => {
    const call = planRootCa(namespace, known, given)?.writes?.[0]?.call;
    expect(call?.verb ?? "none").toBe(change);
    if (call !== undefined) expect(call).toMatchObject({ object: { data: { "ca.crt": "PEM" } } });
  });
}

test("every namespace has the authorities, which are restored when they are deleted or changed", () =>
  withControllers(
    [rootCaCertPublisher],
    async ({ client, until }) => {
      const ref = { namespace: "default", name: "orch-root-ca.crt" };
      const first = await until(ConfigMap, ref, ({ data }) => data?.["ca.crt"] === "PEM");
      await client.of(ConfigMap).delete(ref);
      await until(ConfigMap, ref, ({ metadata }) => metadata.uid !== first.metadata.uid);
      await client.of(ConfigMap).patch(ref, { metadata: { labels: { mine: "yes" } }, data: { "ca.crt": "x", y: "z" } });
      const again = await until(ConfigMap, ref, ({ data }) => data?.["ca.crt"] === "PEM");
      expect([again.data, again.metadata.labels]).toEqual([{ "ca.crt": "PEM" }, { mine: "yes" }]);
    },
    { settings: { rootCa: "PEM" } },
  ));
