/** Checks of a pod's volumes. */

import { validateAnnotations, validateLabels } from "../../../../machinery/meta/metadata.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../../../machinery/meta/names.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../../machinery/status/field-error.ts";
import { addTo, duplicate, forbidden, invalid, required } from "../../../../machinery/status/field-error.ts";
import type { VolumesByName } from "../pod/validate-mounts.ts";
import { validateClaimSpec } from "./validate-claim-spec.ts";
import { validateFile, validateItems, validateMode } from "./validate-files.ts";
import { validateLocalDescendingPath } from "./validate-path.ts";
import { validateProjected } from "./validate-projected.ts";
import { checkedNames, sourceChecks, validateDriverName } from "./validate-sources.ts";
import type { Volume } from "./volume.ts";

/** Also returns the volumes, for the checks of mounts. `podName` absent: the volumes are of a template. */
export function validateVolumes(
  volumes: readonly Volume[] | undefined,
  path: string,
  environment: Environment,
  podName = "",
): { errors: FieldError[]; byName: VolumesByName } {
  const errors: FieldError[] = [];
  const byName = new Map<string, Volume>();
  const own = new Set((volumes ?? []).flatMap(({ name, ephemeral }) => (ephemeral ? [`${podName}-${name}`] : [])));
  (volumes ?? []).forEach((volume, index) => {
    const at = `${path}[${index}]`;
    const problems = validateSource(volume, at, environment, podName);
    if (volume.name === "") problems.push(required(`${at}.name`));
    else problems.push(...isDns1123Label(volume.name).map((problem) => invalid(`${at}.name`, volume.name, problem)));
    if (byName.has(volume.name)) problems.push(duplicate(`${at}.name`, volume.name));
    if (problems.length === 0) byName.set(volume.name, volume);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (podName !== "" && claim !== undefined && own.has(claim)) {
      problems.push(
        invalid(`${at}.persistentVolumeClaim.claimName`, claim, "must not be a claim that an ephemeral volume makes"),
      );
    }
    errors.push(...problems);
  });
  return { errors, byName };
}

/** In the order of the checks: of several the first is used. */
const sourceOrder = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "flexVolume",
  "configMap",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
] as const satisfies readonly (keyof Volume)[];

/** How v1.21 spells a source that is one too many, where it is not the field's name. */
const surplusNames: Readonly<Record<string, string>> = { cephfs: "cephFS", downwardAPI: "downwarAPI" };
const iscsiNameCharsMax = 64;

function validateSource(volume: Volume, path: string, environment: Environment, podName: string): FieldError[] {
  const errors: FieldError[] = [];
  const [first, ...surplus] = sourceOrder.filter((kind) => volume[kind] !== undefined);
  if (first === undefined) return [required(path, "must specify a volume type")];
  for (const kind of surplus) {
    errors.push(forbidden(`${path}.${surplusNames[kind] ?? kind}`, "may not specify more than 1 volume type"));
  }
  addTo(errors, checkOf(first)(volume[first], `${path}.${checkedNames[first] ?? first}`, environment));
  const { name, iscsi } = volume;
  if (iscsi?.initiatorName !== undefined && `${name}:${iscsi.targetPortal}`.length > iscsiNameCharsMax) {
    errors.push(invalid(`${path}.name`, name, "must be shorter where the volume names its initiator"));
  }
  if (first === "ephemeral" && podName !== "" && name !== "") {
    const problems = isDns1123Subdomain(`${podName}-${name}`);
    errors.push(...problems.map((problem) => invalid(`${path}.name`, name, `as the name of a claim ${problem}`)));
  }
  return errors;
}

// Each check is written for its own source; the volume's schema guarantees that they meet.
type Check = (source: never, path: string, environment: Environment) => FieldError[];
const checkOf = (kind: string) =>
  (podChecks[kind] ?? sourceChecks[kind] ?? (() => [])) as (s: unknown, p: string, e: Environment) => FieldError[];

/** Sources that only pods have; those shared with persistent volumes are in validate-volume-sources.ts. */
const podChecks: Readonly<Record<string, Check>> = {
  emptyDir: ({ sizeLimit }: NonNullable<Volume["emptyDir"]>, path) =>
    sizeLimit?.startsWith("-")
      ? [forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
      : [],
  gitRepo(source: NonNullable<Volume["gitRepo"]>, path) {
    const errors: FieldError[] = source.repository === "" ? [required(`${path}.repository`)] : [];
    return [...errors, ...validateLocalDescendingPath(source.directory ?? "", `${path}.directory`)];
  },
  secret: (source: NonNullable<Volume["secret"]>, path) => [
    ...(source.secretName ? [] : [required(`${path}.secretName`)]),
    ...validateMode(source.defaultMode, `${path}.defaultMode`),
    ...validateItems(source.items, `${path}.items`),
  ],
  configMap: (source: NonNullable<Volume["configMap"]>, path) => [
    ...(source.name ? [] : [required(`${path}.name`)]),
    ...validateMode(source.defaultMode, `${path}.defaultMode`),
    ...validateItems(source.items, `${path}.items`),
  ],
  downwardAPI: (source: NonNullable<Volume["downwardAPI"]>, path, environment) => [
    ...validateMode(source.defaultMode, `${path}.defaultMode`),
    ...(source.items ?? []).flatMap((file) => validateFile(file, path, environment)),
  ],
  projected: (source: NonNullable<Volume["projected"]>, path, environment) =>
    validateProjected(source, path, environment),
  persistentVolumeClaim: (source: NonNullable<Volume["persistentVolumeClaim"]>, path) =>
    source.claimName === "" ? [required(`${path}.claimName`)] : [],
  csi: (source: NonNullable<Volume["csi"]>, path) => [
    ...validateDriverName(source.driver, `${path}.driver`),
    ...validateInlineSecret(source.nodePublishSecretRef, path),
  ],
  ephemeral(source: NonNullable<Volume["ephemeral"]>, path) {
    const template = source.volumeClaimTemplate;
    const at = `${path}.volumeClaimTemplate`;
    if (template === undefined) return [required(at)];
    return [
      ...validateLabels(template.metadata?.labels, `${at}.metadata.labels`),
      ...validateAnnotations(template.metadata?.annotations, `${at}.metadata.annotations`),
      ...onlyLabelsAndAnnotations(template.metadata ?? {}, `${at}.metadata`),
      ...validateClaimSpec(template.spec, `${at}.spec`),
    ];
  },
};

/** v1.21 has a space behind the name of the one field, and reports the other as one of the volume. */
function validateInlineSecret(ref: { readonly name?: string } | undefined, path: string): FieldError[] {
  if (ref === undefined) return [];
  if (!ref.name) return [required(`${path}.nodePublishSecretRef .name`)];
  return isDns1123Subdomain(ref.name).map((problem) => invalid(`${path}.name`, ref.name, problem));
}

/** A template's claim takes its name from the pod, so most metadata would be ignored. */
function onlyLabelsAndAnnotations(metadata: object, path: string): FieldError[] {
  return Object.entries(metadata)
    .filter(([key, value]) => key !== "labels" && key !== "annotations" && value !== null && value !== "")
    .map(([key]) => forbidden(`${path}.${key}`, "cannot be set for an ephemeral volume"));
}
