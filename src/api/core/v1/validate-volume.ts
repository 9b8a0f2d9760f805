/** Checks of a pod's volumes. */

import { validateAnnotations, validateLabels } from "../../../machinery/meta/metadata.ts";
import { isConfigMapKey, isDns1123Label } from "../../../machinery/meta/names.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { duplicate, forbidden, invalid, required } from "../../../machinery/status/field-error.ts";
import { validateClaimSpec } from "./validate-claim-spec.ts";
import type { VolumesByName } from "./validate-container.ts";
import { validateLocalDescendingPath } from "./validate-container.ts";
import { fileFieldPaths, validateFieldRef, validateResourceFieldRef } from "./validate-env.ts";
import { sourceChecks } from "./validate-volume-sources.ts";
import type { DownwardAPIVolumeFile, KeyToPath, ProjectedVolumeSource, Volume } from "./volume.ts";

const modeMax = 0o777;
const tokenSecondsMin = 600;
const tokenSecondsMax = 2 ** 32;

/** Also answers which volumes there are, for the checks of mounts. */
export function validateVolumes(
  volumes: readonly Volume[] | undefined,
  path: string,
  environment: Environment,
): { errors: FieldError[]; byName: VolumesByName } {
  const errors: FieldError[] = [];
  const byName = new Map<string, Volume>();
  (volumes ?? []).forEach((volume, index) => {
    const at = `${path}[${index}]`;
    const problems = validateSource(volume, at, environment);
    if (volume.name === "") problems.push(required(`${at}.name`));
    else problems.push(...isDns1123Label(volume.name).map((problem) => invalid(`${at}.name`, volume.name, problem)));
    if (byName.has(volume.name)) problems.push(duplicate(`${at}.name`, volume.name));
    if (problems.length === 0) byName.set(volume.name, volume);
    errors.push(...problems);
  });
  return { errors, byName };
}

function validateSource(volume: Volume, path: string, environment: Environment): FieldError[] {
  const errors: FieldError[] = [];
  const given = Object.entries(volume).filter(([key, value]) => key !== "name" && value !== undefined);
  given.forEach(([kind, source], index) => {
    const at = `${path}.${kind}`;
    if (index > 0) errors.push(forbidden(at, "may not specify more than 1 volume type"));
    else errors.push(...checkOf(kind)(source, at, environment));
  });
  if (given.length === 0) errors.push(required(path, "must specify a volume type"));
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
  downwardAPI: (source: NonNullable<Volume["downwardAPI"]>, path) => [
    ...validateMode(source.defaultMode, `${path}.defaultMode`),
    ...(source.items ?? []).flatMap((file) => validateFile(file, path)),
  ],
  projected: (source: ProjectedVolumeSource, path) => validateProjected(source, path),
  persistentVolumeClaim: (source: NonNullable<Volume["persistentVolumeClaim"]>, path) =>
    source.claimName === "" ? [required(`${path}.claimName`)] : [],
  ephemeral(source: NonNullable<Volume["ephemeral"]>, path, environment) {
    const template = source.volumeClaimTemplate;
    const at = `${path}.volumeClaimTemplate`;
    if (template === undefined) return [required(at)];
    return [
      ...validateLabels(template.metadata?.labels, `${at}.metadata.labels`),
      ...validateAnnotations(template.metadata?.annotations, `${at}.metadata.annotations`),
      ...onlyLabelsAndAnnotations(template.metadata ?? {}, `${at}.metadata`),
      ...validateClaimSpec(template.spec, `${at}.spec`, environment),
    ];
  },
};

/** A template's claim takes its name from the pod, so most metadata would be ignored. */
function onlyLabelsAndAnnotations(metadata: object, path: string): FieldError[] {
  const allowed = new Set(["labels", "annotations", "creationTimestamp"]);
  const others = Object.keys(metadata).filter((key) => !allowed.has(key));
  return others.length === 0 ? [] : [forbidden(path, "field not allowed in a template")];
}

export function validateMode(mode: number | undefined, path: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= modeMax)) return [];
  return [invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}

function validateItems(items: readonly KeyToPath[] | undefined, path: string): FieldError[] {
  return (items ?? []).flatMap((item, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (item.key === "") errors.push(required(`${at}.key`));
    else errors.push(...isConfigMapKey(item.key).map((problem) => invalid(`${at}.key`, item.key, problem)));
    if (item.path === "") errors.push(required(`${at}.path`));
    else errors.push(...validateFilePath(item.path, `${at}.path`));
    return [...errors, ...validateMode(item.mode, `${at}.mode`)];
  });
}

/** A file within a volume: below its folder, and not named like the links that make updates atomic. */
function validateFilePath(path: string, field: string): FieldError[] {
  const errors = validateLocalDescendingPath(path, field);
  if (path.startsWith("..") && errors.length === 0) errors.push(invalid(field, path, "must not start with '..'"));
  return errors;
}

function validateFile(file: DownwardAPIVolumeFile, path: string): FieldError[] {
  const errors: FieldError[] = file.path === "" ? [required(`${path}.path`)] : [];
  errors.push(...validateFilePath(file.path, `${path}.path`));
  if (file.fieldRef) {
    errors.push(...validateFieldRef(file.fieldRef, fileFieldPaths, `${path}.fieldRef`));
    if (file.resourceFieldRef)
      errors.push(invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
  } else if (file.resourceFieldRef) {
    errors.push(...validateResourceFieldRef(file.resourceFieldRef, `${path}.resourceFieldRef`, true));
  } else errors.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  return [...errors, ...validateMode(file.mode, `${path}.mode`)];
}

function validateProjected(source: ProjectedVolumeSource, path: string): FieldError[] {
  const errors = validateMode(source.defaultMode, `${path}.defaultMode`);
  const paths = new Set<string>();
  const claim = (file: string, field: string) => {
    if (file === "") return;
    if (paths.has(file)) errors.push(invalid(field, file, "conflicting duplicate paths"));
    paths.add(file);
  };
  (source.sources ?? []).forEach((projection, index) => {
    const at = `${path}.sources[${index}]`;
    const given = Object.entries(projection).filter(([, value]) => value !== undefined);
    for (const [kind, one] of given) {
      errors.push(...validateProjection(kind, one as Projection, { path: `${at}.${kind}`, volume: path, claim }));
    }
    if (given.length > 1) errors.push(forbidden(at, "may not specify more than 1 volume type"));
  });
  return errors;
}

/** What the four kinds of projection have, taken together; the schema says which has what. */
interface Projection {
  readonly name?: string;
  readonly items?: readonly (KeyToPath & DownwardAPIVolumeFile)[];
  readonly path?: string;
  readonly expirationSeconds?: number;
}

function validateProjection(
  kind: string,
  one: Projection,
  { path, volume, claim }: { path: string; volume: string; claim: (file: string, field: string) => void },
): FieldError[] {
  if (kind === "downwardAPI") {
    return (one.items ?? []).flatMap((file) => {
      claim(file.path, volume);
      return validateFile(file, path);
    });
  }
  if (kind === "serviceAccountToken") {
    const errors: FieldError[] = [];
    const seconds = one.expirationSeconds ?? 0;
    if (seconds < tokenSecondsMin)
      errors.push(invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes"));
    if (seconds > tokenSecondsMax)
      errors.push(invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds"));
    // v1.21 reports the path of a token as one of the volume.
    if (!one.path) errors.push(required(`${volume}.path`));
    else errors.push(...validateFilePath(one.path, `${volume}.path`));
    return errors;
  }
  const errors: FieldError[] = one.name ? [] : [required(`${path}.name`)];
  errors.push(...validateItems(one.items, `${path}.items`));
  for (const item of one.items ?? []) claim(item.path, volume);
  return errors;
}
