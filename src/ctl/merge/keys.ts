/**
 * The merge keys of lists of built-in kinds: the member that identifies the items of a list that is merged item by
 * item.
 */

import { isJson } from "../json.ts";

const keys: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  ephemeralContainers: "name",
  volumes: "name",
  env: "name",
  volumeMounts: "mountPath",
  volumeDevices: "devicePath",
  imagePullSecrets: "name",
  secrets: "name",
  hostAliases: "ip",
  topologySpreadConstraints: "topologyKey",
  conditions: "type",
  ownerReferences: "uid",
  addresses: "type",
  webhooks: "name",
  podIPs: "ip",
};

/** Lists of scalars that are merged value by value. */
const sets = new Set(["finalizers", "drivers", "persistentVolumeClaims", "podCIDRs"]);

/** Structs in which members exclude each other: members that a patch does not name are removed. */
const exclusive = new Set(["strategy", "updateStrategy"]);

/** Kinds whose ports are replaced as a whole. */
const wholePorts = new Set(["Endpoints", "EndpointSlice", "NetworkPolicy"]);

/** Undefined: the list is replaced as a whole. `kind`: the kind of the object that contains it. */
export function mergeKeyOf(field: string, kind: string, ...lists: readonly unknown[]): string | undefined {
  if (field === "ports") return kind === "Service" ? "port" : wholePorts.has(kind) ? undefined : "containerPort";
  if (field === "conditions" || field === "addresses") {
    const items = lists.flatMap((list) => (Array.isArray(list) ? list.filter(isJson) : []));
    return items.every((item) => item["type"] !== undefined) && items.length > 0 ? keys[field] : undefined;
  }
  return Object.hasOwn(keys, field) ? keys[field] : undefined;
}

export const isSet = (field: string): boolean => sets.has(field);
export const isExclusive = (field: string): boolean => exclusive.has(field);
