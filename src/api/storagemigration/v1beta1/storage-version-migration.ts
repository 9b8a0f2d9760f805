/** A StorageVersionMigration has all objects of a resource stored again, in the version and with the key of today. */

import { elided, list, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { checker, on } from "../../../machinery/schema/constraints.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { type FieldErrors, invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { Condition } from "../../common-fields.ts";

const MigratedResource = struct("meta.v1.GroupResource", {
  group: string().at(1).named("subdomain").doc("The group of the resource; empty for the core group."),
  resource: string()
    .at(2)
    .required("resource is required")
    .named("label1035")
    .doc("The resource, such as deployments."),
});

export const MigrationSpec = struct("storagemigration.v1beta1.StorageVersionMigrationSpec", {
  resource: MigratedResource.at(1).doc("The resource whose objects are stored again; cannot be changed."),
});

export const MigrationStatus = struct("storagemigration.v1beta1.StorageVersionMigrationStatus", {
  conditions: elided(
    list(Condition, { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" }),
  )
    .at(1)
    .uniqueBy("type")
    .doc("How far the migration is: Running, Succeeded or Failed."),
  resourceVersion: elided(string())
    .at(2)
    .named((version) => (/^[1-9][0-9]*$/.test(version) ? [] : ["must be the version of a resource"]))
    .doc("Objects that were written after this state of the resource need no migration."),
});
type MigrationStatus = Static<typeof MigrationStatus>;

export type MigrationState = "Running" | "Succeeded" | "Failed";

const states = ["Succeeded", "Failed", "Running"] as const;

/** "deployments.apps". */
const resourceText = (
  { group, resource }: { readonly group: string; readonly resource: string } = { group: "", resource: "" },
) => (group === "" ? resource : `${resource}.${group}`);

export const isMigration = (state: MigrationState, { conditions = [] }: MigrationStatus = {}): boolean =>
  conditions.some((condition) => condition.type === state && condition.status === "True");

const checkStatus = checker(MigrationStatus, [on(MigrationStatus, checkStates)]);

function checkStates(now: MigrationStatus): FieldErrors {
  const is = (state: MigrationState) => isMigration(state, now);
  const problem = (text: string) => [invalid("conditions", now.conditions ?? [], text)];
  if (is("Succeeded") && is("Failed")) return problem("a migration cannot have succeeded and failed");
  return is("Running") && (is("Succeeded") || is("Failed"))
    ? problem("a migration that has ended cannot be running")
    : noErrors;
}

/** What has ended stays so. */
function checkKept(now: MigrationStatus, old: MigrationStatus): FieldErrors {
  const problems: FieldErrors = (["Succeeded", "Failed"] as const)
    .filter((state) => isMigration(state, old) && !isMigration(state, now))
    .map((state) =>
      invalid("status.conditions", now.conditions ?? [], `${state} cannot be set to false once it is true`),
    );
  const isOther = old.resourceVersion && now.resourceVersion !== old.resourceVersion;
  return isOther
    ? [...problems, invalid("status.resourceVersion", now.resourceVersion ?? "", "cannot be updated")]
    : problems;
}

export const StorageVersionMigration = kind({
  group: "storagemigration.orch.io",
  version: "v1beta1",
  since: "1.35",
  behind: "StorageVersionMigrator",
  deprecated: {
    since: "1.37",
    removed: "1.40",
    replacement: "storagemigration.orch.io/v1 StorageVersionMigration",
  },
  kind: "StorageVersionMigration",
  resource: "storageversionmigrations",
  scope: "Cluster",
  doc: "A StorageVersionMigration has all objects of a resource stored again, in the version and with the key of today.",
  fields: {
    spec: elided(MigrationSpec).at(2).immutable().doc("What is migrated, set by its users."),
    status: elided(MigrationStatus).at(3).doc("How far the migration is, written by the system."),
  },
  generation: true,
  prepareForCreate(migration) {
    migration.status = {};
  },
  columns: (column) => [
    column("Name", ({ metadata }) => metadata.name),
    column("Resource", ({ spec }) => resourceText(spec?.resource)),
    column("Status", ({ status: now }) => states.find((state) => isMigration(state, now)) ?? ""),
  ],
  subresources: [
    status({
      validate: ({ status: now = {} }, { status: old = {} }, environment) => [
        ...checkStatus(now, "status", environment),
        ...checkKept(now, old),
      ],
    }),
  ],
});
export type StorageVersionMigration = Static<typeof StorageVersionMigration>;
