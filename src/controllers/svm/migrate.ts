/** Stores the objects of a resource again, some at a time, by applying nothing to each of them. */

import {
  isMigration,
  type StorageVersionMigration,
} from "../../api/storagemigration/v1beta1/storage-version-migration.ts";
import type { AnyObject, DiscoveredResource, ListQuery, ObjectList, PatchOptions, Ref } from "../../client/contract.ts";
import { hasReason } from "../../client/requests/send.ts";
import { messageOf } from "../plan.ts";
import { hasEnded, type MigrationPass } from "./reconcile.ts";

/** Objects of one pass; other migrations have their turn between two. */
const objectsAtOnce = 500;
/** A resource that is missing may be one whose definition is new. */
const resourceGraceMs = 60_000;

const fieldManager = "storage-version-migrator-controller";

/** What a migrator uses of a client. */
export interface MigratedServer {
  discover(): Promise<{ readonly preferred: readonly DiscoveredResource[] }>;
  metadata(resource: DiscoveredResource): { list(query: ListQuery): Promise<ObjectList<AnyObject>> };
  at(resource: DiscoveredResource): { patch(ref: Ref, patch: unknown, options: PatchOptions): Promise<unknown> };
}

interface Migrator {
  /** Undefined: the migration has ended, or waits for a resource that is not served yet. */
  pass(migration: StorageVersionMigration): Promise<MigrationPass | "wait" | undefined>;
  forget(name: string): void;
}

export function createMigrator(client: MigratedServer, now: () => number): Migrator {
  /** Where each running migration goes on. After a restart it begins again, which does no harm. */
  const tokens = new Map<string, string>();
  return {
    async pass(migration) {
      const { name = "", creationTimestamp } = migration.metadata;
      if (hasEnded(migration)) return void tokens.delete(name);
      const { group = "", resource = "" } = migration.spec?.resource ?? {};
      const found = (await client.discover()).preferred.find((one) => one.group === group && one.resource === resource);
      if (found === undefined) {
        const isNew = now() - Date.parse(creationTimestamp ?? "") < resourceGraceMs;
        return isNew ? "wait" : { found: "failure", message: "resource not found" };
      }
      const objects = client.metadata(found);
      if (!migration.status?.resourceVersion) {
        const { resourceVersion } = await objects.list({ limit: 1 });
        return { found: "state", resourceVersion };
      }
      if (!isMigration("Running", migration.status)) return { found: "more" };
      const token = tokens.get(name);
      const chunk = await objects
        .list({ limit: objectsAtOnce, ...(token ? { continue: token } : {}) })
        .catch((error: unknown) => {
          if (!hasReason(error, "Expired")) throw error;
          tokens.delete(name);
          return undefined;
        });
      if (chunk === undefined) return { found: "more" };
      for (const object of chunk.items) {
        const failure = await storeAgain(client, found, object);
        if (failure !== undefined) return { found: "failure", message: failure };
      }
      if (chunk.continue === "") return { found: "end" };
      tokens.set(name, chunk.continue);
      return { found: "more" };
    },
    forget: (name) => void tokens.delete(name),
  };
}

/** An object that has changed since then was stored by that; one that is gone needs nothing. Undefined: it is done. */
async function storeAgain(
  client: MigratedServer,
  resource: DiscoveredResource,
  { metadata: { namespace, name = "", uid, resourceVersion } }: AnyObject,
): Promise<string | undefined> {
  const { group, version, kind } = resource;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  // The uid, so that an object that was deleted is not created again.
  const body = { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } };
  const options = { type: "apply", fieldManager, ignoresAnswer: true } as const;
  try {
    await client.at(resource).patch({ namespace, name }, body, { ...options, reason: "its resource is migrated" });
    return undefined;
  } catch (error) {
    return hasReason(error, "Conflict", "NotFound") ? undefined : `${name}: ${messageOf(error)}`;
  }
}
