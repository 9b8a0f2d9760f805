/** The checks of /healthz, /livez and /readyz, under their names in v1.21. */

import type { Clock } from "../base/clock.ts";
import type { HealthCheck, HealthEndpoint, Lifecycle } from "../http/contract/health.ts";
import { createShutdownCheck, pingCheck } from "../http/health/checks.ts";
import type { Kv } from "../kv/contract.ts";
import type { GateWithEffect } from "../machinery/schema/gates.ts";
import type { FeatureGates } from "../machinery/schema/schema.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

/** The hooks that must have run after the start, in the order of the verbose output, with neutral names. */
const startHooks = [
  "start-orch-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "max-in-flight-filter",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "bootstrap-controller",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "start-cluster-authentication-info-controller",
  "start-orch-apiserver-identity-lease-controller",
  "start-orch-apiserver-identity-lease-garbage-collector",
  "start-orch-aggregator-informers",
  "apiservice-registration-controller",
  "apiservice-status-available-controller",
  "orch-apiserver-autoregistration",
  "apiservice-openapi-controller",
] as const;
export type StartHook = (typeof startHooks)[number];

const gatesOfHooks: Partial<Record<StartHook, GateWithEffect>> = {
  "start-orch-apiserver-identity-lease-controller": "APIServerIdentity",
  "start-orch-apiserver-identity-lease-garbage-collector": "APIServerIdentity",
};

export interface Health {
  readonly checks: readonly HealthCheck[];
  /** Marks a hook as done. */
  finish(hook: StartHook): void;
  /** Marks all other hooks as done; called when the server begins to serve. */
  finishAll(): void;
}

export interface HealthOptions {
  readonly vocabulary: Vocabulary;
  readonly lifecycle: Lifecycle;
  readonly askStore: (endpoint: HealthEndpoint) => Promise<void>;
  /** Some hooks exist only when their gate is on. */
  readonly gates: FeatureGates;
  /** Whether priority and fairness limits requests; otherwise their number does, and the hooks have other names. */
  readonly isFair: boolean;
}

export interface StoreOptions {
  readonly kv: Pick<Kv, "revision" | "condition">;
  readonly clock: Clock;
  /** --kvstore-healthcheck-timeout. */
  readonly storeTimeoutMs: number;
}

/** Checks whether the store answers and accepts writes; fails when it does not do so in time. */
export const createAskStore =
  ({ kv, clock, storeTimeoutMs }: StoreOptions) =>
  async (endpoint?: HealthEndpoint): Promise<void> => {
    await withinTime(kv.revision(), clock, storeTimeoutMs);
    const condition = kv.condition?.() ?? "ok";
    if (condition === "failed") throw new Error("the store failed to write and takes no writes until a restart");
    // A restart would not help, so livez does not check this.
    if (condition === "full" && endpoint === "readyz") throw new Error("the disk of the store is full");
  };

const everywhere: readonly HealthEndpoint[] = ["healthz", "livez", "readyz"];

const fairHooks: readonly StartHook[] = ["priority-and-fairness-config-consumer", "priority-and-fairness-filter"];
const unfairHooks: readonly StartHook[] = ["max-in-flight-filter"];

export function createHealth({ vocabulary, lifecycle, askStore, gates, isFair }: HealthOptions): Health {
  const absent = isFair ? unfairHooks : fairHooks;
  const present = startHooks.filter(
    (name) => !absent.includes(name) && (gatesOfHooks[name] === undefined || gates.enabled(gatesOfHooks[name])),
  );
  const waiting = new Set<string>(present);
  const isStarted = (what: string, waitsFor: () => boolean) => () => {
    if (waitsFor()) throw new Error(`${what} has not finished`);
  };
  const hook = (name: StartHook): HealthCheck => ({
    name: `poststarthook/${vocabulary.word(name)}`,
    on: everywhere,
    graceful: true,
    check: isStarted(name, () => waiting.has(name)),
  });
  const hooks = present.map(hook);
  const checks: HealthCheck[] = [
    pingCheck,
    { name: "log", on: everywhere, check() {} },
    {
      // The vocabulary of existing clients has another name for the store.
      name: vocabulary.name === "kubernetes" ? "etcd" : "kvstore",
      on: everywhere,
      check: askStore,
    },
    { name: "informer-sync", on: ["readyz"], check: isStarted("the cache", () => waiting.size > 0) },
    ...hooks.slice(0, -1),
    {
      name: "autoregister-completion",
      on: everywhere,
      graceful: true,
      check: isStarted("registration", () => waiting.has("orch-apiserver-autoregistration")),
    },
    ...hooks.slice(-1),
    createShutdownCheck(lifecycle),
  ];
  return { checks, finish: (name) => void waiting.delete(name), finishAll: () => waiting.clear() };
}

async function withinTime(work: Promise<unknown>, clock: Clock, timeoutMs: number): Promise<void> {
  let cancel = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(timeoutMs, () => reject(new Error(`the store did not answer within ${timeoutMs} ms`)));
  });
  try {
    await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
