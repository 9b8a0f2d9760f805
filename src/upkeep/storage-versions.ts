/** Publishes in which versions this server stores, reads and serves each built-in resource, with the gate StorageVersionAPI. */

import { reportedStatus, withReport } from "../api/internal/reported-versions.ts";
import { type ServerStorageVersion, StorageVersion } from "../api/internal/v1alpha1/storage-version.ts";
import type { BoundKind, Catalog, Family } from "../machinery/schema/catalog.ts";
import { sameValue } from "../machinery/schema/same-value.ts";
import { StatusError } from "../machinery/status/status.ts";
import { serverWrites } from "../registry/contract/server-writes.ts";
import type { RunningUpkeep, Upkeep, UpkeepParts } from "./contract.ts";
import { every } from "./every.ts";
import { hasIdentity, renewIdentity } from "./server-identity.ts";
import { unlessUnreadable } from "./unless-unreadable.ts";

/** How often reports that were changed or deleted are corrected. */
const correctionIntervalMs = 600_000;

type PublishParts = Pick<UpkeepParts, "registry" | "catalog" | "clock" | "identity">;

const publishes = (catalog: Catalog): boolean =>
  hasIdentity(catalog) &&
  catalog.environment.gates.enabled("StorageVersionAPI") &&
  catalog.isServed(catalog.of(StorageVersion));

/** A server does this before it takes requests, so that no object is stored in a version that is not published. */
export async function publishStorageVersions(parts: PublishParts): Promise<void> {
  if (!publishes(parts.catalog)) return;
  // The lease comes first: reports of a server without one are removed.
  await unlessUnreadable(renewIdentity(parts));
  for (const [name, report] of reportsOf(parts.catalog, parts.identity.id))
    await unlessUnreadable(publish(parts, name, report));
}

export const storageVersions: Upkeep = {
  name: "storage versions",
  start(parts): RunningUpkeep {
    if (!publishes(parts.catalog)) return { close: async () => undefined };
    const round = () => publishStorageVersions(parts);
    return every(parts, { name: this.name, intervalMs: correctionIntervalMs, atOnce: true, round });
  },
};

/** By the name of the object: "core.pods", "apps.deployments". */
function reportsOf(catalog: Catalog, apiServerID: string): ReadonlyMap<string, ServerStorageVersion> {
  const reports = new Map<string, ServerStorageVersion>();
  const hasServed = catalog.environment.has("servedStorageVersions");
  for (const family of catalog.families().filter(isOwn)) {
    for (const { group, resource } of family.versions.filter((version) => catalog.isServed(version))) {
      const name = `${group || "core"}.${resource}`;
      if (reports.has(name)) continue;
      const inGroup = (version: BoundKind) => version.group === group;
      const served = family.versions.filter((version) => inGroup(version) && catalog.isServed(version));
      reports.set(name, {
        apiServerID,
        encodingVersion: family.stored.apiVersion,
        // Those of its group first.
        decodableVersions: [
          ...family.versions.filter(inGroup),
          ...family.versions.filter((version) => !inGroup(version)),
        ].map(({ apiVersion }) => apiVersion),
        ...(hasServed ? { servedVersions: served.map(({ apiVersion }) => apiVersion) } : {}),
      });
    }
  }
  return reports;
}

/** Whether it is built in, and its objects are stored. */
const isOwn = ({ hub: { declaration } }: Family): boolean =>
  declaration.origin === "builtin" && (declaration.verbs === undefined || declaration.verbs.includes("create"));

async function publish(parts: PublishParts, name: string, report: ServerStorageVersion): Promise<void> {
  const { registry, catalog, clock } = parts;
  const kind = catalog.of(StorageVersion);
  const ref = { namespace: "", name };
  const context = serverWrites("storage versions", catalog.environment.vocabulary);
  if (registry.peek(kind, ref) === undefined)
    await registry.create(kind, { metadata: { name }, spec: {}, status: {} }, ref, context).catch(ignoreExisting);
  const change = (current: StorageVersion | undefined): StorageVersion => {
    const object = current as StorageVersion; // nothing is created here
    const reports = withReport(object.status.storageVersions ?? [], report);
    const status = reportedStatus(object.status, reports, clock.now());
    return sameValue(status, object.status) ? object : { ...object, status };
  };
  await registry.update(kind, ref, change, context, { subresource: "status", retry: true });
}

/** Another server was faster; its report is in the object, and this one's is added. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
}
