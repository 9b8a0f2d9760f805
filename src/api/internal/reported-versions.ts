/** What the servers of a cluster report about one resource, and what their reports have in common. */

import { timeText } from "../../machinery/values/time.ts";
import type {
  ServerStorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from "./v1alpha1/storage-version.ts";

/** The reports with that of one server in place of its earlier one, or at the end. */
export function withReport(
  reports: readonly ServerStorageVersion[],
  own: ServerStorageVersion,
): readonly ServerStorageVersion[] {
  const isOwn = ({ apiServerID }: ServerStorageVersion) => apiServerID === own.apiServerID;
  return reports.some(isOwn) ? reports.map((report) => (isOwn(report) ? own : report)) : [...reports, own];
}

/** The status with these reports: the version that all servers store, and the condition that says whether there is one. */
export function reportedStatus(
  { commonEncodingVersion: before, conditions, ...rest }: StorageVersionStatus,
  reports: readonly ServerStorageVersion[],
  nowMs: number,
): StorageVersionStatus {
  const [common, ...others] = new Set(reports.map(({ encodingVersion = "" }) => encodingVersion));
  const agreed = others.length === 0 ? common : undefined;
  const status: StorageVersionStatus = {
    ...rest,
    storageVersions: [...reports],
    ...(agreed === undefined ? {} : { commonEncodingVersion: agreed }),
  };
  // Without reports the condition stays: the object is about to be deleted.
  if (reports.length === 0) return conditions === undefined ? status : { ...status, conditions };
  const isOther = before !== undefined && agreed !== undefined && before !== agreed;
  return { ...status, conditions: withEquality(conditions ?? [], agreed !== undefined, isOther, timeText(nowMs)) };
}

const equalityType = "AllEncodingVersionsEqual";

/** `isOther`: the servers agree as before, on another version; this counts as a transition. */
function withEquality(
  conditions: readonly StorageVersionCondition[],
  agree: boolean,
  isOther: boolean,
  now: string,
): StorageVersionCondition[] {
  const known = conditions.find(({ type }) => type === equalityType);
  const status = agree ? "True" : "False";
  const next: StorageVersionCondition = {
    ...known,
    type: equalityType,
    status,
    lastTransitionTime: known?.status === status && !isOther ? (known.lastTransitionTime ?? now) : now,
    reason: agree ? "CommonEncodingVersionSet" : "CommonEncodingVersionUnset",
    message: agree ? "Common encoding version set" : "Common encoding version unset",
  };
  return known === undefined ? [...conditions, next] : conditions.map((each) => (each === known ? next : each));
}
