/** A registry with the actions of pods: for their tests. */

import { catalog as kinds } from "../../api/catalog.ts";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { decodeKind } from "../../machinery/schema/decode-kind.ts";
import { plainEnvironment, uidsInOrder } from "../../machinery/schema/environment.suite.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { type Level, levelDefault } from "../../machinery/schema/levels.ts";
import { admitAll } from "../../registry/contract/admission.ts";
import type { WriteContext } from "../../registry/contract/write-context.ts";
import { openRegistry } from "../../registry/registry.ts";
import { coreActions } from "../core-actions.ts";
import { addressTypesDefault } from "../proxy/address-types.ts";

const context: WriteContext = {
  user: { name: "tester", uid: "", groups: [], extra: new Map() },
  dryRun: false,
  fieldManager: "",
  warn() {},
};

export async function openPods(level: Level = levelDefault) {
  const clock = createManualClock(Date.parse("2021-06-01T00:00:00Z"));
  const environment = plainEnvironment({ level, clock, randomUid: uidsInOrder(), allowPrivileged: true });
  const catalog = createCatalog(kinds, environment);
  const registry = await openRegistry({
    kv: createMemoryKv(),
    catalog,
    clock,
    log: silentLog,
    admission: admitAll,
  });
  const actions = coreActions({ catalog, random: () => 0, addressTypes: addressTypesDefault });
  const kindOf = (resource: string) => {
    const kind = catalog.byResource("", "v1", resource) ?? catalog.byResource("policy", "v1", resource);
    if (kind === undefined) throw new Error(`no ${resource}`);
    return kind;
  };
  const ref = (resource: string, name: string) => ({ namespace: kindOf(resource).namespaced ? "a" : "", name });
  const post = async (resource: string, body: Record<string, unknown>) => {
    const kind = kindOf(resource);
    await registry.create(kind, decodeKind(kind, body), ref(resource, ""), context);
  };
  const read = async (resource: string, name: string) =>
    (await registry.get(kindOf(resource), ref(resource, name))).object();
  const setStatus = async (resource: string, name: string, status: Record<string, unknown>) => {
    const kind = kindOf(resource);
    const change = (current: ApiObject | undefined) => decodeKind(kind, { ...current, status });
    await registry.update(kind, ref(resource, name), change, context, { subresource: "status" });
  };
  /** Does what a POST to the path does. */
  const act = async (name: string, pod: string, body: Record<string, unknown>, more: Partial<WriteContext> = {}) => {
    const accepted = name.endsWith("eviction")
      ? (catalog.byKind("policy", "v1", "Eviction") ?? catalog.byKind("policy", "v1beta1", "Eviction"))
      : catalog.byKind("", "v1", "Binding");
    if (accepted === undefined) throw new Error("nothing is accepted");
    const answer = await actions.get(name)?.create?.({
      kind: kindOf("pods"),
      accepted,
      ref: { namespace: "a", name: pod },
      body: decodeKind(accepted, body),
      context: { ...context, ...more },
      registry,
    });
    return answer?.code;
  };
  /** What plugins see of a body. */
  const prepared = (name: string, body: Record<string, unknown>) => {
    const accepted = catalog.byKind("", "v1", "Binding");
    if (accepted === undefined) throw new Error("nothing is accepted");
    const request = {
      kind: kindOf("pods"),
      accepted,
      ref: { namespace: "a", name: "p" },
      body: decodeKind(accepted, body),
      context: { ...context, fieldManager: "m" },
      registry,
    };
    return actions.get(name)?.prepare?.(request).body;
  };
  const connect = async (path: string, name: string, query: Record<string, string> = {}) => {
    const [resource = "", subresource = ""] = path.split("/");
    const parameter = (key: string) => (Object.hasOwn(query, key) ? query[key] : undefined);
    const parameters = (key: string) => (parameter(key) === undefined ? [] : [parameter(key) ?? ""]);
    const request = { kind: kindOf(resource), subresource, ref: ref(resource, name), registry, parameter, parameters };
    return actions.get(path)?.connect?.(request);
  };
  return { registry, post, read, setStatus, act, prepared, connect };
}

export const container = { name: "c", image: "i" };
export const pod = (name: string, more: Record<string, unknown> = {}) => ({
  metadata: { name, labels: { app: "a" } },
  spec: { containers: [container], ...more },
});
export const budget = { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } } };
export const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
export const allowing = (disruptionsAllowed: number) => ({
  observedGeneration: 1,
  disruptionsAllowed,
  currentHealthy: 1 + disruptionsAllowed,
  desiredHealthy: 1,
  expectedPods: 2,
});
