/** Storage versions of several servers on one store, and what remains of a server that is gone. */

import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { defaultSettings } from "../../src/controllers/settings.ts";
import { storageVersionGc } from "../../src/controllers/storage-version-gc/wire.ts";
import { startOwnControllers } from "../../src/main/controllers.ts";
import { openSharedStore, type SharingServer } from "./shared-store.fixture.ts";

const path = "/apis/internal.apiserver.orch.io/v1alpha1/storageversions";
const leases = "/apis/coordination.orch.io/v1/namespaces/orch-system/leases";
const gates = new Map([
  ["APIServerIdentity", true],
  ["StorageVersionAPI", true],
]);
const runtimeConfig = new Map([["internal.apiserver.orch.io/v1alpha1", "true"]]);

interface Published {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly storageVersions: readonly { readonly apiServerID: string; readonly servedVersions?: readonly string[] }[];
    readonly commonEncodingVersion?: string;
    readonly conditions: readonly { readonly status: string }[];
  };
}
async function listed<T>({ fetch }: SharingServer, at: string): Promise<readonly T[]> {
  return ((await (await fetch(at)).json()) as { items: readonly T[] }).items;
}
const servers = ({ status }: Published) => status.storageVersions.map(({ apiServerID }) => apiServerID);

describe.each(["1.21", "1.35"] as const)("at level %s", (level) => {
  test("servers publish their versions before they take requests, and those of a gone server are removed", async () => {
    const store = openSharedStore();
    const open = (hostname: string) => store.open({ level, gates, runtimeConfig, hostname, authorization: "RBAC" });
    const [one, two] = [await open("one"), await open("two")];
    const published = () => listed<Published>(one, path);
    const all = await published();
    const byName = new Map(all.map((each) => [each.metadata.name, each]));
    const deployments = byName.get("apps.deployments");
    const ids = deployments ? servers(deployments) : [];
    expect(new Set(ids).size).toBe(2);
    expect(all.every((each) => servers(each).join() === ids.join())).toBe(true);
    expect(deployments?.status).toMatchObject({ commonEncodingVersion: "apps/v1", conditions: [{ status: "True" }] });
    const served = deployments?.status.storageVersions[0]?.servedVersions;
    expect(served).toEqual(level === "1.21" ? undefined : ["apps/v1"]);
    // A resource of two groups has one object for each; what is not stored has none.
    expect(byName.get("events.orch.io.events")?.status.commonEncodingVersion).toBe("v1");
    expect(byName.has("core.events")).toBe(true);
    expect(byName.has("core.componentstatuses") || byName.has("core.bindings")).toBe(false);
    expect(byName.has("authentication.orch.io.tokenreviews")).toBe(false);

    const options = { settings: defaultSettings, clock: systemClock, log: silentLog, useAccounts: true };
    const running = startOwnControllers({ server: one.server, controllers: [storageVersionGc], ...options });
    try {
      await two.server.close();
      const [, gone = ""] = ids;
      expect((await one.fetch(`${leases}/${gone}`, { method: "DELETE" })).status).toBe(200);
      await expect
        .poll(async () => new Set((await published()).flatMap(servers)), { timeout: 60_000, interval: 50 })
        .toEqual(new Set(ids.slice(0, 1)));
      expect(await published()).toHaveLength(all.length);
    } finally {
      await running.close();
      await store.close();
    }
  });
});

test("without the gate, or without the API, nothing is published", async () => {
  const store = openSharedStore();
  const one = await store.open({ level: "1.35", runtimeConfig });
  expect(await listed(one, path)).toEqual([]);
  expect((await (await store.open({ level: "1.35", gates })).fetch(path)).status).toBe(404);
  await store.close();
});
