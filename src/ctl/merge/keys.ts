/** The merge key of each list of built-in kinds: the member that identifies its items, for the lists of built-in kinds that are merged item by item. */

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

/** Lists of texts to which values are added one by one. */
const sets = new Set(["finalizers", "drivers", "persistentVolumeClaims", "podCIDRs"]);

/** Structs of which one member excludes the others: what a patch does not name goes. */
const exclusive = new Set(["strategy", "updateStrategy"]);

/** Kinds whose ports are replaced as a whole. */
const wholePorts = new Set(["Endpoints", "EndpointSlice", "NetworkPolicy"]);

/** Undefined: the list is replaced as a whole. `kind`: that of the object which holds it. */
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
