/** The checks of /healthz, /livez and /readyz, under the names that they have at each level. */

import type { Clock } from "../base/clock.ts";
import { between, type Dated, type Release, since, until, valuesIn } from "../base/release.ts";
import type { HealthCheck, HealthEndpoint, Lifecycle } from "../http/contract/health.ts";
import { createShutdownCheck, pingCheck } from "../http/health/checks.ts";
import type { Kv } from "../kv/contract.ts";
import { hasAt } from "../machinery/schema/features.ts";
import type { FeatureGates, GateWithEffect } from "../machinery/schema/gates.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

const afterServing = [
  "start-cluster-authentication-info-controller",
  "start-orch-apiserver-identity-lease-controller",
  "start-orch-apiserver-identity-lease-garbage-collector",
] as const;

/** The hooks that must have run after the start, in the order of the verbose output, with neutral names. */
const startHooks = [
  until("1.29", "start-orch-apiserver-admission-initializer"),
  since("1.29", "start-apiserver-admission-initializer"),
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "max-in-flight-filter",
  since("1.25", "storage-object-count-tracker-hook"),
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  until("1.28", "bootstrap-controller"),
  since("1.29", "start-system-namespaces-controller"),
  ...afterServing.map((name) => since("1.29", name)),
  since("1.29", "start-legacy-token-tracking-controller"),
  since("1.28", "start-service-ip-repair-controllers"),
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  between("1.28", "1.29", "start-system-namespaces-controller"),
  since("1.28", "bootstrap-controller"),
  until("1.29", "start-cluster-authentication-info-controller"),
  until("1.29", "start-orch-apiserver-identity-lease-controller"),
  between("1.27", "1.29", "start-deprecated-orch-apiserver-identity-lease-garbage-collector"),
  until("1.29", "start-orch-apiserver-identity-lease-garbage-collector"),
  between("1.27", "1.29", "start-legacy-token-tracking-controller"),
  since("1.33", "start-orch-service-cidr-controller"),
  "start-orch-aggregator-informers",
  since("1.32", "apiservice-status-local-available-controller"),
  since("1.32", "apiservice-status-remote-available-controller"),
  "apiservice-registration-controller",
  until("1.32", "apiservice-status-available-controller"),
  since("1.29", "apiservice-discovery-controller"),
  "built-in-resources-storage-version-updater",
  "orch-apiserver-autoregistration",
  "apiservice-openapi-controller",
  since("1.24", "apiservice-openapiv3-controller"),
  between("1.27", "1.29", "apiservice-discovery-controller"),
] as const;
type Undated<T> = T extends Dated<infer V> ? V : T;
type StartHook = Undated<(typeof startHooks)[number]>;

/** All of a hook's gates must be on. */
const gatesOfHooks: Partial<Record<StartHook, readonly GateWithEffect[]>> = {
  "start-orch-apiserver-identity-lease-controller": ["APIServerIdentity"],
  "start-deprecated-orch-apiserver-identity-lease-garbage-collector": ["APIServerIdentity"],
  "start-orch-apiserver-identity-lease-garbage-collector": ["APIServerIdentity"],
  "built-in-resources-storage-version-updater": ["APIServerIdentity", "StorageVersionAPI"],
};

export interface Health {
  readonly checks: readonly HealthCheck[];
  /** Marks a hook as done. */
  finish(hook: StartHook): void;
  /** Marks all other hooks as done; called when the server begins to serve. */
  finishAll(): void;
}

interface HealthOptions {
  readonly vocabulary: Vocabulary;
  readonly lifecycle: Lifecycle;
  readonly askStore: (endpoint: HealthEndpoint) => Promise<void>;
  /** Some hooks exist only when their gate is on. */
  readonly gates: FeatureGates;
  /** Whether priority and fairness limits requests; otherwise their number does, and the hooks have other names. */
  readonly isFair: boolean;
  /** The release whose names the hooks have. */
  readonly level: Release;
}

interface StoreOptions {
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

export function createHealth({ vocabulary, lifecycle, askStore, gates, isFair, level }: HealthOptions): Health {
  const has = hasAt(level);
  const absent = isFair ? unfairHooks : fairHooks;
  const present = valuesIn<StartHook>(level, startHooks).filter(
    (name) => !absent.includes(name) && (gatesOfHooks[name] ?? []).every((gate) => gates.enabled(gate)),
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
  const registered = present.indexOf("orch-apiserver-autoregistration") + 1;
  // The vocabulary of existing clients has another name for the store.
  const store = vocabulary.name === "kubernetes" ? "etcd" : "kvstore";
  const checks: HealthCheck[] = [
    pingCheck,
    { name: "log", on: everywhere, check() {} },
    { name: store, on: everywhere, check: askStore },
    ...(has("storeReadiness") ? [{ name: `${store}-readiness`, on: ["readyz"] as const, check: askStore }] : []),
    { name: "informer-sync", on: ["readyz"], check: isStarted("the cache", () => waiting.size > 0) },
    ...present.slice(0, registered).map(hook),
    {
      name: "autoregister-completion",
      on: everywhere,
      graceful: true,
      check: isStarted("registration", () => waiting.has("orch-apiserver-autoregistration")),
    },
    ...present.slice(registered).map(hook),
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
