/** Descriptions of volumes, claims and storage classes. */

import type { Context } from "../context.ts";
import { dig, entries, isJson, type Json, list, nameOf, namespaceOf, text, texts } from "../json.ts";
import { clusterHeading, labelsAndAnnotations, name, names } from "./metadata.ts";
import { at, capitalized, joined, or, pairsInLine, phrase } from "./readers.ts";
import { field, type Rows, section, values, when, within } from "./row.ts";
import { volumeSource } from "./volumes.ts";

const finalizers = field("Finalizers", phrase`[${joined("metadata.finalizers", " ")}]`);

export const persistentVolume: Rows = [
  ...clusterHeading,
  finalizers,
  field("StorageClass", "spec.storageClassName"),
  field("Status", "status.phase"),
  when((value) => !hasClaim(value), ["Claim:\t"]),
  when(hasClaim, [field("Claim", phrase`${"spec.claimRef.namespace"}/${"spec.claimRef.name"}`)]),
  field("Reclaim Policy", "spec.persistentVolumeReclaimPolicy"),
  field("Access Modes", accessModes("spec")),
  field("VolumeMode", "spec.volumeMode"),
  field("Capacity", "spec.capacity.storage"),
  field("Node Affinity", (value) => (isJson(dig(value, "spec", "nodeAffinity")) ? "" : "<none>")),
  field("Message", "status.message"),
  section("Source", [within(withoutOthers, volumeSource)], 4),
];

export const claim: Rows = [
  ...names,
  field("StorageClass", "spec.storageClassName"),
  field("Status", "status.phase"),
  field("Volume", "spec.volumeName"),
  ...labelsAndAnnotations,
  finalizers,
  field("Capacity", "status.capacity.storage"),
  field("Access Modes", accessModes("status")),
  field("VolumeMode", "spec.volumeMode"),
  values("Used By", podsWithClaim),
];

export const storageClass: Rows = [
  name,
  field("IsDefaultClass", (value) => (isDefault(value) ? "Yes" : "No")),
  field("Annotations", pairsInLine("metadata.annotations")),
  field("Provisioner", "provisioner"),
  field("Parameters", pairsInLine("parameters")),
  field("AllowVolumeExpansion", or(at("allowVolumeExpansion", capitalized), "<unset>")),
  field("MountOptions", or(joined("mountOptions"), "<none>")),
  field("ReclaimPolicy", "reclaimPolicy"),
  field("VolumeBindingMode", "volumeBindingMode"),
];

export const volumeAttributesClass: Rows = [
  name,
  field("Annotations", pairsInLine("metadata.annotations")),
  field("DriverName", "driverName"),
  field("Parameters", pairsInLine("parameters")),
];

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function accessModes(member: "spec" | "status"): (value: Json) => string {
  return (value) =>
    texts(value, member, "accessModes")
      .map((mode) => shortModes[mode] ?? mode)
      .join(",");
}

function hasClaim(value: Json): boolean {
  return isJson(dig(value, "spec", "claimRef"));
}

/** The members of a volume among which its source is. */
function withoutOthers({ spec }: Json): Json {
  if (!isJson(spec)) return {};
  const { claimRef: _, capacity: __, nodeAffinity: ___, ...source } = spec;
  return source;
}

/** The names of the pods that mount a claim. */
async function podsWithClaim(claim: Json, context: Context): Promise<string[]> {
  const resource = (await context.discovery()).find("pods");
  if (resource === undefined) return [];
  const found: string[] = [];
  for await (const pod of context.at(resource).items({ namespace: namespaceOf(claim) })) {
    const claims = list(pod, "spec", "volumes").map((volume) => text(volume, "persistentVolumeClaim", "claimName"));
    if (claims.includes(nameOf(claim))) found.push(nameOf(pod));
  }
  return found;
}

function isDefault(value: Json): boolean {
  return entries(value, "metadata", "annotations").some(
    ([key, annotation]) => key.endsWith("/is-default-class") && annotation === "true",
  );
}
