/** The rules of storage versions: their names say what is stored, and their status agrees with itself. */

import { isDns1035Label, isDns1123Subdomain, isQualifiedName } from "../../../machinery/meta/names.ts";
import { duplicate, type FieldError, invalid, required } from "../../../machinery/status/field-error.ts";
import type { ServerStorageVersion, StorageVersionCondition, StorageVersionStatus } from "./storage-version.ts";

/** "GROUP.RESOURCE". */
export function validateName(name: string): FieldError[] {
  const dot = name.lastIndexOf(".");
  const problems =
    dot < 0
      ? ["must be in the form of <group>.<resource>"]
      : [...isDns1123Subdomain(name.slice(0, dot)), ...isDns1035Label(name.slice(dot + 1))];
  return problems.map((problem) => invalid("metadata.name", name, problem));
}

export function validateStatus({ storageVersions = [], ...status }: StorageVersionStatus = {}): FieldError[] {
  return [
    ...storageVersions.flatMap((version, index) => validateServer(version, `status.storageVersions[${index}]`)),
    ...validateCommon(storageVersions, status.commonEncodingVersion),
    ...validateConditions(status.conditions ?? []),
  ];
}

function validateServer(version: ServerStorageVersion, path: string): FieldError[] {
  const { apiServerID = "", encodingVersion = "", decodableVersions = [] } = version;
  const errors = isDns1123Subdomain(apiServerID).map((problem) => invalid(`${path}.apiServerID`, apiServerID, problem));
  if (!decodableVersions.includes(encodingVersion)) {
    const problem = `must include encodingVersion ${encodingVersion}`;
    errors.push(invalid(`${path}.decodableVersions`, decodableVersions, problem));
  }
  return errors;
}

function validateCommon(versions: readonly ServerStorageVersion[], common: string | undefined): FieldError[] {
  const path = "status.commonEncodingVersion";
  const used = new Set(versions.map(({ encodingVersion = "" }) => encodingVersion));
  const [only] = used;
  if (used.size !== 1 || only === undefined)
    return common === undefined
      ? []
      : [invalid(path, common, "must be absent, because servers store different versions")];
  return common === only ? [] : [invalid(path, common ?? null, `must be ${only}, which all servers store`)];
}

function validateConditions(conditions: readonly StorageVersionCondition[]): FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap(({ type, reason, message }, index) => {
    const path = `status.conditions[${index}]`;
    const errors = isQualifiedName(type).map((problem) => invalid(`${path}.type`, type, problem));
    if (seen.has(type)) errors.push(duplicate(`${path}.type`, type));
    seen.add(type);
    if (!reason) errors.push(required(`${path}.reason`));
    if (!message) errors.push(required(`${path}.message`));
    return errors;
  });
}
