import { expect, test } from "vitest";
import type { ServerStorageVersion, StorageVersion } from "../../api/internal/v1alpha1/storage-version.ts";
import { carriedOut } from "../plan.suite.ts";
import { planReports } from "./reconcile.ts";

const label = { key: "apiserver.orch.io/identity", value: "orch-apiserver" };
const namespace = "orch-system";
const nowMs = Date.parse("2026-01-02T03:04:05Z");
const before = "2026-01-01T00:00:00Z";
const report = (apiServerID: string, encodingVersion: string): ServerStorageVersion => ({
  apiServerID,
  encodingVersion,
  decodableVersions: ["apps/v1", "apps/v2"],
});
const version = (...reports: ServerStorageVersion[]): StorageVersion => ({
  metadata: { name: "apps.toys", uid: "u", resourceVersion: "7" },
  spec: {},
  status: {
    storageVersions: reports,
    conditions: [
      {
        type: "AllEncodingVersionsEqual",
        status: "False",
        lastTransitionTime: before,
        reason: "CommonEncodingVersionUnset",
        message: "Common encoding version unset",
      },
    ],
  },
});
const lease = (labels: Record<string, string>) => ({ metadata: { name: "a", namespace, labels } });

/** `cached`: the servers whose leases the informer knows. `live`: those that the API server has. */
async function pass(reports: ServerStorageVersion[], cached: string[], live: Record<string, object> = {}) {
  const isAlive = (id: string) => cached.includes(id);
  const plan = planReports({ version: version(...reports), isAlive, namespace, label, nowMs });
  return await carriedOut(plan, (request) => {
    const name = request.replace(`get leases ${namespace}/`, "");
    return request.startsWith("get ") && live[name] ? lease(live[name] as Record<string, string>) : undefined;
  });
}
const read = (id: string) => `get leases ${namespace}/${id}`;

test("reports of servers that hold their lease stay, without a request", async () => {
  expect((await pass([report("a", "apps/v1"), report("b", "apps/v2")], ["a", "b"])).log).toEqual([]);
});

test("the report of a server whose lease is gone is removed, and the others may agree then", async () => {
  const { log, sent } = await pass([report("a", "apps/v1"), report("b", "apps/v2")], ["b"]);
  expect(log).toEqual([read("a"), "updateStatus storageversions apps.toys"]);
  expect((sent[0] as StorageVersion).status).toEqual({
    storageVersions: [report("b", "apps/v2")],
    commonEncodingVersion: "apps/v2",
    conditions: [
      {
        type: "AllEncodingVersionsEqual",
        status: "True",
        lastTransitionTime: "2026-01-02T03:04:05Z",
        reason: "CommonEncodingVersionSet",
        message: "Common encoding version set",
      },
    ],
  });
});

test("servers that still differ leave the condition as it was", async () => {
  const { sent } = await pass([report("a", "apps/v1"), report("b", "apps/v2"), report("c", "apps/v1")], ["b", "c"]);
  const status = (sent[0] as StorageVersion).status;
  expect(status?.storageVersions?.map(({ apiServerID }) => apiServerID)).toEqual(["b", "c"]);
  expect(status?.commonEncodingVersion).toBeUndefined();
  expect(status?.conditions?.[0]).toMatchObject({ status: "False", lastTransitionTime: before });
});

test("a server that the informer does not know yet, but the API server does, keeps its report", async () => {
  expect((await pass([report("a", "apps/v1")], [], { a: { [label.key]: label.value } })).log).toEqual([read("a")]);
});

test("a lease of another component does not count, and the object goes with its last report", async () => {
  const { log } = await pass([report("a", "apps/v1"), report("b", "apps/v1")], [], { a: { [label.key]: "scheduler" } });
  expect(log).toEqual([read("a"), read("b"), "delete storageversions apps.toys"]);
});
