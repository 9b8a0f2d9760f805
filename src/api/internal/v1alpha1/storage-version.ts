/** A StorageVersion shows in which version each server of a cluster stores the objects of a resource. */

import { elided, int64, list, optional, type Static, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { validateName, validateStatus } from "./validate-storage-version.ts";

export const ServerStorageVersion = struct("apiserverinternal.v1alpha1.ServerStorageVersion", {
  apiServerID: elided(string()).at(1).doc("The id of the server."),
  encodingVersion: elided(string()).at(2).doc("The version in which the server stores the objects, such as apps/v1."),
  decodableVersions: elided(list(string(), { topology: "set" }))
    .at(3)
    .doc("The versions that the server can read; encodingVersion is one of them."),
});
export type ServerStorageVersion = Static<typeof ServerStorageVersion>;

export const StorageVersionCondition = struct("apiserverinternal.v1alpha1.StorageVersionCondition", {
  type: string().at(1).doc("What the condition is about, such as AllEncodingVersionsEqual."),
  status: string().at(2).doc("Whether the condition holds: True, False or Unknown."),
  observedGeneration: elided(int64()).at(3).doc("The metadata.generation that the condition is about."),
  lastTransitionTime: elided(time()).at(4).doc("When status last changed from one value to another."),
  reason: string().at(5).doc("One CamelCase word, for programs, that says why the condition last changed."),
  message: string().at(6).doc("A sentence for people about the last change."),
});
export type StorageVersionCondition = Static<typeof StorageVersionCondition>;

const StorageVersionSpec = struct("apiserverinternal.v1alpha1.StorageVersionSpec", {});

export const StorageVersionStatus = struct("apiserverinternal.v1alpha1.StorageVersionStatus", {
  storageVersions: elided(list(ServerStorageVersion, { topology: "map", keys: ["apiServerID"] }))
    .at(1)
    .doc("What each server reports."),
  commonEncodingVersion: optional(string())
    .at(2)
    .doc("The version in which all servers store the objects. Absent: they differ."),
  conditions: elided(list(StorageVersionCondition, { topology: "map", keys: ["type"] }))
    .at(3)
    .doc("The current state of the object, one entry for each condition type."),
});
export type StorageVersionStatus = Static<typeof StorageVersionStatus>;

export const StorageVersion = kind({
  group: "internal.apiserver.orch.io",
  version: "v1alpha1",
  kind: "StorageVersion",
  resource: "storageversions",
  scope: "Cluster",
  typeName: "apiserverinternal.v1alpha1.StorageVersion",
  doc: "A StorageVersion shows in which version each server of a cluster stores the objects of a resource.",
  fields: {
    spec: StorageVersionSpec.at(2).doc("Empty: servers report, users ask for nothing."),
    status: StorageVersionStatus.at(3).doc("The versions that the servers use."),
  },
  name: "pathSegment",
  prepareForCreate(version) {
    version.status = {};
  },
  prepareForUpdate(version, old) {
    version.status = old.status;
  },
  validate: ({ metadata: { name = "" } }) => validateName(name),
  validateUpdate: ({ status: next }) => validateStatus(next),
  columns: (column) => [
    nameColumn,
    column("CommonEncodingVersion", (one) => one.status?.commonEncodingVersion ?? "<unset>"),
    column("StorageVersions", (one) => versionsText(one.status?.storageVersions ?? [])),
    ageColumn,
  ],
  subresources: [status({ validate: ({ status: next }) => validateStatus(next) })],
});
export type StorageVersion = Static<typeof StorageVersion>;

/** How many servers the column names before it says that there are more. */
const serversShownMax = 3;

function versionsText(versions: readonly ServerStorageVersion[]): string {
  const shown = versions
    .slice(0, serversShownMax)
    .map(({ apiServerID = "", encodingVersion = "" }) => `${apiServerID}=${encodingVersion}`);
  const more = versions.length - shown.length;
  if (shown.length === 0) return "<unset>";
  return more > 0 ? `${shown.join(",")} + ${more} more...` : shown.join(",");
}
