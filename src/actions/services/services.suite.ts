/** Servers of one store with services, for tests of their allocations. */

import { Service } from "../../api/core/v1/service.ts";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import type { Kv } from "../../kv/contract.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { decodeKind } from "../../machinery/schema/decode-kind.ts";
import { plainEnvironment, uidsInOrder } from "../../machinery/schema/environment.suite.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { type Level, levelDefault } from "../../machinery/schema/levels.ts";
import { createClaims } from "../../registry/claims.ts";
import { admitAll } from "../../registry/contract/admission.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import type { WriteContext } from "../../registry/contract/write-context.ts";
import { openRegistry } from "../../registry/registry.ts";
import { parseAddressRanges, parsePortRange } from "./address-range.ts";
import { createServices, type Services, servicesFamily } from "./services.ts";

export interface ServiceServer {
  readonly registry: Registry & { close(): Promise<void> };
  readonly services: Services;
  readonly kind: BoundKind;
  /** Creates a service in namespace "a" from plain JSON and shows its spec. */
  post(name: string, spec: Record<string, unknown>, more?: Partial<WriteContext>): Promise<Record<string, unknown>>;
  /** Changes the spec of a stored service. */
  change(
    name: string,
    make: (spec: Record<string, unknown>) => Record<string, unknown>,
  ): Promise<Record<string, unknown>>;
  drop(name: string): Promise<void>;
  repair(alone: boolean): Promise<void>;
}

export interface ServiceServerOptions {
  readonly level?: Level;
  readonly kv?: Kv;
  readonly addresses?: string;
  readonly ports?: string;
  readonly random?: (below: number) => number;
  readonly mutate?: (object: ApiObject) => void;
}

/** All servers here share the sequence, since some share a store. */
const nextUid = uidsInOrder();

export async function openServiceServer(options: ServiceServerOptions = {}): Promise<ServiceServer> {
  const { kv = createMemoryKv(), addresses = "10.0.0.0/24", ports = "30000-32767", level = levelDefault } = options;
  const clock = createManualClock(Date.parse("2021-06-01T00:00:00Z"));
  const environment = plainEnvironment({ clock, level, randomUid: nextUid, allowPrivileged: true });
  const catalog = createCatalog([Service], environment); // a Kind of its own object type
  const kind = catalog.byResource("", "v1", "services");
  if (kind === undefined) throw new Error("services are not served");
  const services = createServices({
    claims: createClaims(kv),
    addresses: parseAddressRanges(addresses),
    nodePorts: parsePortRange(ports),
    random: options.random ?? ((below) => Math.floor(below / 2)),
    log: silentLog,
  });
  const registry = await openRegistry({
    kv,
    catalog,
    clock,
    log: silentLog,
    admission: {
      ...admitAll,
      validate({ object }) {
        if (object !== undefined) options.mutate?.(object);
      },
    },
    allocators: new Map([[servicesFamily, services]]),
  });
  const context: WriteContext = {
    user: { name: "tester", uid: "", groups: [], extra: new Map() },
    dryRun: false,
    fieldManager: "",
    warn() {},
  };
  const specOf = (object: ApiObject) => object["spec"] as Record<string, unknown>;
  const ref = (name: string) => ({ namespace: "a", name });
  return {
    registry,
    services,
    kind,
    async post(name, spec, more = {}) {
      const body = decodeKind(kind, { metadata: { name }, spec });
      const { entry } = await registry.create(kind, body, ref(name), { ...context, ...more });
      return specOf(entry.object());
    },
    async change(name, make) {
      const next = (current: ApiObject | undefined) =>
        decodeKind(kind, { ...current, spec: make(structuredClone(specOf(current ?? { metadata: {} }))) });
      const { entry } = await registry.update(kind, ref(name), next, context, { retry: true });
      return specOf(entry.object());
    },
    async drop(name) {
      await registry.delete(kind, ref(name), {}, context);
    },
    repair: (alone) => services.repair(registry, kind.family, alone),
  };
}

/** Every address and port that is claimed, by its key. */
export async function claimed(kv: Kv): Promise<string[]> {
  const { entries } = await kv.range("registry/claims/");
  return entries.map(({ key }) => key.slice("registry/claims/services/".length));
}

/** A refusal without its message. */
export async function refusal(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    const { code, details } = error as { code: number; details?: { causes?: { reason: string; field: string }[] } };
    return { code, causes: details?.causes?.map(({ reason, field }) => `${reason} ${field}`) };
  }
  throw new Error("it was not refused");
}
