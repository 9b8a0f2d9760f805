/** A StorageVersion shows in which version each server of a cluster stores the objects of a resource. */

import { isDns1035Label, isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import { elided, int64, list, optional, type Static, string, struct, time } from "../../../machinery/schema/build.ts";
import { checker, on } from "../../../machinery/schema/constraints.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { each, type FieldErrors, invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";

const ServerStorageVersion = struct("apiserverinternal.v1alpha1.ServerStorageVersion", {
  apiServerID: elided(string()).listed(true, "1.36").at(1).named("subdomain").evenEmpty().doc("The id of the server."),
  encodingVersion: elided(string())
    .listed(true, "1.36")
    .at(2)
    .doc("The version in which the server stores the objects, such as apps/v1."),
  decodableVersions: elided(list(string(), { topology: "set" }))
    .listed(true, "1.36")
    .at(3)
    .doc("The versions that the server can read; encodingVersion is one of them."),
  servedVersions: elided(list(string(), { topology: "set" }))
    .at(4)
    .since("1.28")
    .doc("The versions that the server serves; all of them are decodable."),
});
export type ServerStorageVersion = Static<typeof ServerStorageVersion>;

const StorageVersionCondition = struct("apiserverinternal.v1alpha1.StorageVersionCondition", {
  type: string().at(1).named("qualified").doc("What the condition is about, such as AllEncodingVersionsEqual."),
  status: string().at(2).doc("Whether the condition holds: True, False or Unknown."),
  observedGeneration: elided(int64()).at(3).doc("The metadata.generation that the condition is about."),
  lastTransitionTime: elided(time()).at(4).doc("When status last changed from one value to another."),
  reason: string().at(5).required().doc("One CamelCase word, for programs, that says why the condition last changed."),
  message: elided(string()).listed(true, "1.30").at(6).required().doc("A sentence for people about the last change."),
});
export type StorageVersionCondition = Static<typeof StorageVersionCondition>;

const StorageVersionSpec = struct("apiserverinternal.v1alpha1.StorageVersionSpec", {});

const StorageVersionStatus = struct("apiserverinternal.v1alpha1.StorageVersionStatus", {
  storageVersions: elided(list(ServerStorageVersion, { topology: "map", keys: ["apiServerID"] }))
    .at(1)
    .doc("What each server reports."),
  commonEncodingVersion: optional(string())
    .at(2)
    .doc("The version in which all servers store the objects. Absent: they differ."),
  conditions: elided(list(StorageVersionCondition, { topology: "map", keys: ["type"] }))
    .at(3)
    .uniqueBy("type")
    .doc("The current state of the object, one entry for each condition type."),
});
export type StorageVersionStatus = Static<typeof StorageVersionStatus>;

/** The status agrees with itself. */
const checkStatus = checker(StorageVersionStatus, [
  on(ServerStorageVersion, checkReport),
  on(StorageVersionStatus, ({ storageVersions = [], commonEncodingVersion: common }) => {
    const at = "commonEncodingVersion";
    const used = new Set(storageVersions.map(({ encodingVersion = "" }) => encodingVersion));
    const [only] = used;
    if (used.size === 1 && only !== undefined)
      return common === only ? noErrors : [invalid(at, common ?? null, `must be ${only}, which all servers store`)];
    return common === undefined
      ? noErrors
      : [invalid(at, common, "must be absent, because servers store different versions")];
  }),
]);

function checkReport(report: ServerStorageVersion): FieldErrors {
  const { encodingVersion = "", decodableVersions = [], servedVersions = [] } = report;
  const errors = [...checkVersion(encodingVersion, "encodingVersion")];
  const decodable = new Set(decodableVersions);
  for (const [index, version] of decodableVersions.entries())
    errors.push(...checkVersion(version, `decodableVersions[${index}]`));
  if (!decodable.has(encodingVersion))
    errors.push(invalid("decodableVersions", decodableVersions, `must include encodingVersion ${encodingVersion}`));
  for (const [index, version] of servedVersions.entries()) {
    const path = `servedVersions[${index}]`;
    errors.push(...checkVersion(version, path));
    if (!decodable.has(version)) errors.push(invalid(path, version, "must be one of decodableVersions"));
  }
  return errors;
}

/** "VERSION" or "GROUP/VERSION". */
function checkVersion(text: string, path: string): FieldErrors {
  const parts = text.split("/");
  if (parts.length > 2) return [invalid(path, text, "must be a version, or a group, a '/' and a version")];
  const [version = "", group] = parts.reverse();
  const problems = [
    ...(group === undefined ? [] : isDns1123Subdomain(group).map((problem) => `group part ${problem}`)),
    ...isDns1035Label(version).map((problem) => `version part ${problem}`),
  ];
  return problems.length === 0 ? noErrors : [invalid(path, text, problems.join(","))];
}

export const StorageVersion = kind({
  group: "internal.apiserver.orch.io",
  version: "v1alpha1",
  kind: "StorageVersion",
  resource: "storageversions",
  scope: "Cluster",
  typeName: "apiserverinternal.v1alpha1.StorageVersion",
  doc: "A StorageVersion shows in which version each server of a cluster stores the objects of a resource.",
  fields: {
    spec: StorageVersionSpec.listed(false, "1.36").at(2).doc("Empty: servers report, users ask for nothing."),
    status: StorageVersionStatus.listed(false, "1.36").at(3).doc("The versions that the servers use."),
  },
  compat: { metadataListed: "1.36" },
  name: "pathSegment",
  prepareForCreate(version) {
    version.status = {};
  },
  prepareForUpdate(version, old) {
    version.status = old.status;
  },
  validate: ({ metadata: { name = "" } }) => validateName(name),
  validateUpdate: ({ status: next }, _old, environment) => checkStatus(next, "status", environment),
  columns: (column) => [
    nameColumn,
    column("CommonEncodingVersion", (one) => one.status?.commonEncodingVersion ?? "<unset>"),
    column("StorageVersions", (one) => versionsText(one.status?.storageVersions ?? [])),
    ageColumn,
  ],
  subresources: [
    status({ validate: ({ status: next }, _old, environment) => checkStatus(next, "status", environment) }),
  ],
});
export type StorageVersion = Static<typeof StorageVersion>;

/** "GROUP.RESOURCE". */
function validateName(name: string): FieldErrors {
  const dot = name.lastIndexOf(".");
  if (dot < 0) return [invalid("metadata.name", name, "must be in the form of <group>.<resource>")];
  return each(
    [...isDns1123Subdomain(name.slice(0, dot)), ...isDns1035Label(name.slice(dot + 1))],
    "metadata.name",
    name,
  );
}

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
