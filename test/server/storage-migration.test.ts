/** Objects that an earlier level has stored are stored again, in the versions of the present one. */

import { expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { defaultSettings } from "../../src/controllers/settings.ts";
import { svm } from "../../src/controllers/svm/wire.ts";
import { startOwnControllers } from "../../src/main/controllers.ts";
import { openSharedStore } from "./shared-store.fixture.ts";

const path = "/apis/storagemigration.orch.io/v1beta1/storageversionmigrations";
const budgets = (version: string) => `/apis/policy/${version}/namespaces/default/poddisruptionbudgets`;

interface Migration {
  readonly status: { readonly resourceVersion?: string; readonly conditions?: readonly { readonly type: string }[] };
}

test("a migration stores all objects of its resource again, and changes nothing else", async () => {
  const store = openSharedStore();
  const early = await store.open();
  for (const name of ["a", "b"]) {
    const budget = { metadata: { name }, spec: { minAvailable: 1 } };
    expect((await early.send("POST", budgets("v1beta1"), budget)).status).toBe(201);
  }
  await early.server.close();

  const gates = new Map([["StorageVersionMigrator", true]]);
  const runtimeConfig = new Map([["storagemigration.orch.io/v1beta1", "true"]]);
  const late = await store.open({ level: "1.35", gates, runtimeConfig, authorization: "RBAC" });
  const options = { settings: defaultSettings, clock: systemClock, log: silentLog, useAccounts: true };
  const running = startOwnControllers({ server: late.server, controllers: [svm], ...options });
  const read = async <T>(at: string) => (await (await late.fetch(at)).json()) as T;
  const stored = async () => {
    const { entries } = await store.kv.range("/policy/poddisruptionbudgets/");
    return entries.map(({ value }) => JSON.parse(Buffer.from(value).toString()).apiVersion as string);
  };
  try {
    expect(await stored()).toEqual(["policy/v1beta1", "policy/v1beta1"]);
    const before = await read<{ items: { metadata: { managedFields: unknown } }[] }>(budgets("v1"));
    const wanted = {
      metadata: { name: "m" },
      spec: { resource: { group: "policy", resource: "poddisruptionbudgets" } },
    };
    expect((await late.send("POST", path, wanted)).status).toBe(201);
    await expect
      .poll(async () => (await read<Migration>(`${path}/m`)).status.conditions, { timeout: 60_000, interval: 50 })
      .toMatchObject([
        { type: "Running", status: "False", reason: "StorageVersionMigrationInProgress" },
        { type: "Succeeded", status: "True", reason: "StorageVersionMigrationSucceeded" },
      ]);
    expect((await read<Migration>(`${path}/m`)).status.resourceVersion).toMatch(/^[0-9]+$/);
    expect(await stored()).toEqual(["policy/v1", "policy/v1"]);
    const after = await read<typeof before>(budgets("v1"));
    expect(after.items.map(({ metadata }) => metadata.managedFields)).toEqual(
      before.items.map(({ metadata }) => metadata.managedFields),
    );
  } finally {
    await running.close();
    await store.close();
  }
});

test("a migration keeps its resource, and what its status says about its end", async () => {
  const store = openSharedStore();
  const runtimeConfig = new Map([["storagemigration.orch.io/v1beta1", "true"]]);
  const gates = new Map([["StorageVersionMigrator", true]]);
  const { send } = await store.open({ level: "1.35", gates, runtimeConfig });
  const wanted = (resource: string) => ({ metadata: { name: "m" }, spec: { resource: { group: "apps", resource } } });
  const patched = async (at: string, body: object) =>
    (await send("PATCH", `${path}/m${at}`, body, "application/merge-patch+json")).status;
  const states = (...types: string[]) => {
    const common = { status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" };
    return { conditions: types.map((type) => ({ type, ...common })) };
  };
  expect((await send("POST", path, wanted(""))).status).toBe(422);
  expect((await send("POST", path, { ...wanted("deployments"), status: states("Succeeded") })).status).toBe(201);
  expect(await patched("", { spec: { resource: { resource: "daemonsets" } } })).toBe(422);
  const cases: readonly [expected: number, status: object][] = [
    [422, { resourceVersion: "-1" }],
    [422, { resourceVersion: "seven" }],
    [200, { resourceVersion: "7", ...states("Running") }],
    [422, { resourceVersion: "8" }],
    [422, states("Running", "Failed")],
    [422, states("Succeeded", "Failed")],
    [422, { conditions: [{ type: "Succeeded", status: "Maybe", reason: "R", message: "" }] }],
    [200, states("Succeeded")],
    [422, states("Failed")],
    [422, { conditions: null }],
  ];
  for (const [expected, status] of cases)
    expect([await patched("/status", { status }), status]).toEqual([expected, status]);
  await store.close();
});
