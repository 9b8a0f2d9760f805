/** Quotas with what they have counted, and the plugin over them: for its tests. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Level } from "../../machinery/schema/levels.ts";
import { createWorld, type RequestOptions } from "../admission.suite.ts";
import { createResourceQuota } from "./resource-quota.ts";

export type Amounts = Record<string, string>;

export const quota = (name: string, hard: Amounts, used: Amounts, spec: object = {}) => ({
  resource: "resourcequotas",
  object: { metadata: { name, namespace: "a" }, spec: { hard, ...spec }, status: { hard, used } } as ApiObject,
});
export const zeroOf = (hard: Amounts): Amounts => Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));

export function worldOf(
  quotas: { resource: string; object: ApiObject }[],
  configuration: Record<string, unknown> = {},
  level: Level = "1.21",
) {
  const world = createWorld(quotas, "orch", { configuration, level });
  const plugin = createResourceQuota(world.context);
  return {
    admit: (resource: string, object: object, options: RequestOptions = {}) =>
      world.admit(plugin, resource, { namespace: "a", object: object as ApiObject, ...options }),
    used(name = "q"): unknown {
      const { kind } = world.request("resourcequotas", {});
      const entry = world.context.registry.peek(kind, { namespace: "a", name });
      return (entry?.object()["status"] as { used?: unknown } | undefined)?.used;
    },
    world,
    plugin,
  };
}
export const pod = (spec: object = {}, name = "p") => ({
  metadata: { name },
  spec: { containers: [{ name: "c" }], ...spec },
});
export const asks = (requests: Amounts, limits: Amounts = {}) => ({ name: "c", resources: { requests, limits } });
