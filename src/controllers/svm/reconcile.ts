/** The states of a migration: which state of the resource it is about, that it runs, and how it has ended. */

import {
  isMigration,
  type MigrationState,
  type StorageVersionMigration,
} from "../../api/storagemigration/v1beta1/storage-version-migration.ts";
import type { Kind } from "../../machinery/schema/kind.ts";
import { timeText } from "../../machinery/values/time.ts";
import { type Plan, updateStatus } from "../plan.ts";

/** What a pass over some of the objects has found. */
export type MigrationPass =
  /** The state of the resource from which on objects need no migration. */
  | { readonly found: "state"; readonly resourceVersion: string }
  /** Some objects were stored again, and more follow. */
  | { readonly found: "more" }
  | { readonly found: "end" }
  | { readonly found: "failure"; readonly message: string };

export const hasEnded = ({ status }: StorageVersionMigration): boolean =>
  isMigration("Succeeded", status) || isMigration("Failed", status);

/** Undefined: nothing is to be told. */
export function planMigration(
  kind: Kind<StorageVersionMigration>,
  migration: StorageVersionMigration,
  pass: MigrationPass,
  nowMs: number,
): Plan | undefined {
  const { status = {} } = migration;
  const write = (next: NonNullable<StorageVersionMigration["status"]>): Plan => ({
    status: updateStatus(kind, { ...migration, status: next }, { tolerates: ["NotFound"] }),
  });
  switch (pass.found) {
    case "state":
      return write({ ...status, resourceVersion: pass.resourceVersion });
    case "more":
      // At once: the key is worked on again after the others.
      return isMigration("Running", status) ? { reviewInMs: 0 } : write(inState(status, "Running", "", nowMs));
    case "end":
      return write(inState(status, "Succeeded", "", nowMs));
    case "failure":
      return write(inState(status, "Failed", pass.message, nowMs));
  }
}

const reasons: Readonly<Record<MigrationState, string>> = {
  Running: "StorageVersionMigrationInProgress",
  Succeeded: "StorageVersionMigrationSucceeded",
  Failed: "StorageVersionMigrationFailed",
};

type Status = NonNullable<StorageVersionMigration["status"]>;

/** A migration that ends no longer runs. */
function inState({ conditions = [], ...rest }: Status, state: MigrationState, message: string, nowMs: number): Status {
  const lastTransitionTime = timeText(nowMs);
  const others = conditions
    .filter(({ type }) => type !== state)
    .map((each) => (each.type === "Running" ? { ...each, status: "False", lastTransitionTime } : each));
  const next = { type: state, status: "True", lastTransitionTime, reason: reasons[state], message };
  return { ...rest, conditions: [...others, next] };
}
