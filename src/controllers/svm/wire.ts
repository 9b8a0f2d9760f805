/** svm: objects of the resources that StorageVersionMigrations name are stored again. */

import { StorageVersionMigration as MigrationV1 } from "../../api/storagemigration/v1/storage-version-migration.ts";
import { StorageVersionMigration as MigrationV1beta1 } from "../../api/storagemigration/v1beta1/storage-version-migration.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { createMigrator } from "./migrate.ts";
import { planMigration } from "./reconcile.ts";

/** How soon a resource that is not served yet is looked for again. */
const missingRetryMs = 5_000;

export const svm: Controller = {
  name: "svm",
  since: "1.30",
  account: "storage-version-migrator-controller",
  start({ client, informers, gates, clock, queue: createQueue, has }) {
    if (!has("migrations")) return undefined;
    if (!gates.enabled("StorageVersionMigrator")) return undefined;
    const kind = has("migrationsV1") ? MigrationV1 : MigrationV1beta1;
    const migrations = informers.of(kind);
    const migrator = createMigrator(client, () => clock.now());
    const queue = createQueue({
      workers: 1,
      after: [migrations],
      async sync(name) {
        const migration = migrations.get(name);
        const pass = migration && (await migrator.pass(migration));
        if (migration === undefined || pass === undefined) return;
        return pass === "wait" ? { reviewInMs: missingRetryMs } : planMigration(kind, migration, pass, clock.now());
      },
    });
    migrations.on({ ...enqueueChanged(queue), delete: (migration) => migrator.forget(keyOf(migration)) });
    return queue;
  },
};
