import { describe, expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import type { Release } from "../base/release.ts";
import type { HealthEndpoint } from "../http/contract/health.ts";
import { createLifecycle } from "../http/server/lifecycle.ts";
import type { KvCondition } from "../kv/contract.ts";
import { kubernetes } from "../vocabulary/kubernetes.ts";
import { orch } from "../vocabulary/orch.ts";
import { createAskStore, createHealth } from "./health.ts";

function open(revision: () => Promise<bigint> = async () => 1n, condition: KvCondition = "ok") {
  const clock = createManualClock(0);
  const lifecycle = createLifecycle();
  const kv = { revision, condition: () => condition };
  const askStore = createAskStore({ kv, clock, storeTimeoutMs: 2_000 });
  const health = createHealth({
    vocabulary: orch,
    lifecycle,
    askStore,
    gates: { enabled: () => false },
    isFair: true,
    level: "1.21",
  });
  const failing = async (endpoint: HealthEndpoint = "readyz") => {
    const outcomes = await Promise.all(
      health.checks.map(async ({ name, check }) => {
        try {
          await check(endpoint);
          return [];
        } catch {
          return [name];
        }
      }),
    );
    return outcomes.flat();
  };
  return { clock, lifecycle, health, failing };
}

describe("health", () => {
  test("hooks fail until they have finished", async () => {
    const { health, failing } = open();
    expect(await failing()).toContain("poststarthook/rbac/bootstrap-roles");
    health.finish("rbac/bootstrap-roles");
    expect(await failing()).not.toContain("poststarthook/rbac/bootstrap-roles");
    expect(await failing()).toContain("informer-sync");
    health.finishAll();
    expect(await failing()).toEqual([]);
  });

  test("a shutdown makes the shutdown check fail, and only on readyz", async () => {
    const { health, failing, lifecycle } = open();
    health.finishAll();
    lifecycle.drain();
    expect(await failing()).toEqual(["shutdown"]);
    expect(health.checks.find(({ name }) => name === "shutdown")?.on).toEqual(["readyz"]);
  });

  test("a store that does not answer in time is unhealthy", async () => {
    const { health, failing, clock } = open(() => new Promise(() => {}));
    health.finishAll();
    const outcome = failing();
    clock.advance(2_000);
    expect(await outcome).toEqual(["kvstore"]);
  });

  test("a store that accepts no writes is not ready; livez fails only if a restart would help", async () => {
    const full = open(undefined, "full");
    full.health.finishAll();
    expect(await full.failing("readyz")).toEqual(["kvstore"]);
    expect(await full.failing("livez")).toEqual([]);
    const failed = open(undefined, "failed");
    failed.health.finishAll();
    expect(await failed.failing("readyz")).toEqual(["kvstore"]);
    expect(await failed.failing("livez")).toEqual(["kvstore"]);
  });

  test("checks have the names and the order of the server's level", () => {
    const lifecycle = createLifecycle();
    const common = {
      vocabulary: orch,
      lifecycle,
      askStore: async () => {},
      gates: { enabled: () => true },
      isFair: true,
    };
    const namesAt = (level: Release) => createHealth({ ...common, level }).checks.map(({ name }) => name);
    const [old, today] = [namesAt("1.21"), namesAt("1.35")];
    expect(new Set(today).size).toBe(today.length);
    expect(old).toContain("poststarthook/apiservice-status-available-controller");
    expect(today).not.toContain("poststarthook/apiservice-status-available-controller");
    expect(today.slice(2, 4)).toEqual(["kvstore", "kvstore-readiness"]);
    expect(today.slice(-5)).toEqual([
      "poststarthook/orch-apiserver-autoregistration",
      "autoregister-completion",
      "poststarthook/apiservice-openapi-controller",
      "poststarthook/apiservice-openapiv3-controller",
      "shutdown",
    ]);
    const place = (names: readonly string[]) =>
      names.indexOf("poststarthook/bootstrap-controller") - names.indexOf("poststarthook/rbac/bootstrap-roles");
    expect([place(old) < 0, place(today) > 0]).toEqual([true, true]);
    const tracker = "poststarthook/storage-object-count-tracker-hook";
    expect([namesAt("1.24").includes(tracker), namesAt("1.25").includes(tracker)]).toEqual([false, true]);
    const between = namesAt("1.28");
    expect(place(between) > 0).toBe(true);
    expect(between.slice(-2)).toEqual(["poststarthook/apiservice-discovery-controller", "shutdown"]);
    const repair = between.indexOf("poststarthook/start-service-ip-repair-controllers");
    expect(between[repair - 1]).toBe("poststarthook/crd-informer-synced");
  });

  test("checks have the names of the server's vocabulary", () => {
    const { checks } = createHealth({
      vocabulary: kubernetes,
      lifecycle: createLifecycle(),
      askStore: async () => {},
      gates: { enabled: (gate) => gate === "APIServerIdentity" },
      isFair: false,
      level: "1.21",
    });
    const names = checks.map(({ name }) => name);
    expect(names).toContain("etcd");
    expect(names).toContain("poststarthook/start-kube-aggregator-informers");
    expect(names).toContain("poststarthook/start-kube-apiserver-identity-lease-controller");
    expect(open().health.checks.filter(({ name }) => name.includes("identity"))).toEqual([]);
  });
});
