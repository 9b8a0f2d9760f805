/** StorageVersionMigration in v1: the same shape as v1beta1. */

import { elided } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { createRetyped } from "../../../machinery/schema/retyped.ts";
import {
  StorageVersionMigration as Hub,
  MigrationSpec,
  MigrationStatus,
} from "../v1beta1/storage-version-migration.ts";

const inV1 = createRetyped("storagemigration.v1beta1", "storagemigration.v1");

export const StorageVersionMigration = version(Hub, {
  version: "v1",
  since: "1.37",
  fields: {
    spec: elided(inV1(MigrationSpec)).at(2).immutable().doc("What is migrated, set by its users."),
    status: elided(inV1(MigrationStatus)).at(3).doc("How far the migration is, written by the system."),
  },
});
