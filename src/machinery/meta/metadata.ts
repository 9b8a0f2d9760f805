/** Validates the metadata of an object, and which changes an update may make to it. */

import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { Environment } from "../schema/environment.ts";
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "../schema/object-meta.ts";
import type { NameRule } from "../schema/strategy.ts";
import {
  addTo,
  each,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  ofEach,
  required,
  together,
  tooLong,
} from "../status/field-error.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";
import { checkName } from "./name-rule.ts";
import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from "./names.ts";

// Templates have labels, annotations and selectors too; code that checks one can import them all from here.
export { validateLabelSelector } from "./label-selector.ts";
export { validateAnnotations, validateLabels } from "./labels.ts";

/** Bytes of the name of a field manager. */
export const fieldManagerBytesMax = 128;

/** Set by the server for as long as dependents are being orphaned, or deleted. */
export const orphanFinalizer = "orphan";
export const foregroundFinalizer = "foregroundDeletion";

interface MetadataRules {
  readonly namespaced: boolean;
  /** Default: subdomain. */
  readonly nameRule?: NameRule;
  readonly environment: Environment;
  /** Default: "metadata". */
  readonly path?: string;
  /** Whether finalizers may have names without a prefix, as those of custom resources do. Default: false. */
  readonly plainFinalizers?: boolean;
}
type MetadataUpdateRules = Omit<MetadataRules, "namespaced">;

/** All problems of the metadata of a new object. */
export function validateMetadata(meta: ObjectMeta, rules: MetadataRules): FieldErrors {
  const { path = "metadata", nameRule = "subdomain", environment } = rules;
  const { name = "", clusterName = "" } = meta;
  return together(
    validateGenerateName(meta, path, rules),
    name === ""
      ? [required(`${path}.name`, "name or generateName is required")]
      : each(checkName(nameRule, name, environment, false), `${path}.name`, name),
    validateNamespace(meta.namespace ?? "", rules.namespaced, `${path}.namespace`),
    clusterName === "" ? noErrors : each(isDns1123Subdomain(clusterName), `${path}.clusterName`, clusterName),
    (meta.generation ?? 0) < 0 ? [invalid(`${path}.generation`, meta.generation, "must not be negative")] : noErrors,
    validateShared(meta, path, rules),
  );
}

/**
 * All problems of a change of metadata. The name cannot change, so it is not checked again. The registry decides if a
 * resourceVersion is required.
 */
export function validateMetadataUpdate(next: ObjectMeta, old: ObjectMeta, rules: MetadataUpdateRules): FieldErrors {
  const { path = "metadata" } = rules;
  const errors: FieldError[] = [];
  if (old.deletionTimestamp) addTo(errors, validateNoNewFinalizers(next, old, `${path}.finalizers`));
  if ((next.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalid(`${path}.generation`, next.generation ?? 0, "must not go back"));
  }
  for (const field of immutableFields) {
    if ((next[field] ?? undefined) !== (old[field] ?? undefined)) {
      errors.push(invalid(`${path}.${field}`, next[field], "cannot be changed"));
    }
  }
  // Custom resources may change it to anything: no further name is made of it.
  if (next.generateName !== old.generateName && !rules.plainFinalizers)
    errors.push(...validateGenerateName(next, path, rules));
  return together(errors, validateShared(next, path, rules));
}

function validateGenerateName(
  { generateName = "" }: ObjectMeta,
  path: string,
  rules: MetadataUpdateRules,
): FieldErrors {
  if (generateName === "") return noErrors;
  const { nameRule = "subdomain", environment } = rules;
  return each(checkName(nameRule, generateName, environment, true), `${path}.generateName`, generateName);
}

const immutableFields = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "clusterName",
] as const satisfies readonly (keyof ObjectMeta)[];

/** What every write checks. */
function validateShared(meta: ObjectMeta, path: string, rules: MetadataUpdateRules): FieldErrors {
  const { vocabulary } = rules.environment;
  return together(
    validateLabels(meta.labels, `${path}.labels`),
    validateAnnotations(meta.annotations, `${path}.annotations`),
    validateOwnerReferences(meta.ownerReferences, `${path}.ownerReferences`, rules.environment.has("ownersByPlace")),
    validateFinalizers(meta.finalizers, `${path}.finalizers`),
    rules.plainFinalizers ? noErrors : validateFinalizerPrefixes(meta.finalizers, `${path}.finalizers`, vocabulary),
    validateManagedFields(meta.managedFields, `${path}.managedFields`),
  );
}

function validateNamespace(namespace: string, namespaced: boolean, path: string): FieldErrors {
  if (!namespaced) return namespace === "" ? noErrors : [forbidden(path, "objects of this kind are in no namespace")];
  return namespace === "" ? [required(path)] : each(isDns1123Label(namespace), path, namespace);
}

type Items<T> = readonly T[] | null | undefined;

/** Paths have no index in v1.21. */
function validateOwnerReferences(owners: Items<OwnerReference>, path: string, isByPlace: boolean): FieldErrors {
  if (!owners) return noErrors;
  const errors = ofEach(owners, (owner, index) =>
    isByPlace
      ? [...missingOf(owner, `${path}[${index}]`), ...validateOwner(owner, `${path}[${index}]`, true)]
      : validateOwner(owner, path),
  );
  if (owners.filter((owner) => owner.controller === true).length < 2) return errors;
  return [...errors, invalid(path, owners, "only one owner can be the controller")];
}

const missingOf = (owner: OwnerReference, path: string): FieldError[] =>
  (["apiVersion", "kind", "name", "uid"] as const)
    .filter((field) => owner[field] === "")
    .map((field) => required(`${path}.${field}`));

function validateOwner(owner: OwnerReference, path: string, isComplete = false): FieldErrors {
  const errors: FieldError[] = [];
  const version = owner.apiVersion.slice(owner.apiVersion.indexOf("/") + 1);
  if ((version === "" && !(isComplete && owner.apiVersion === "")) || version.includes("/")) {
    errors.push(invalid(`${path}.apiVersion`, owner.apiVersion, "must be a version, or a group, a '/' and a version"));
  }
  for (const field of ["kind", "name", "uid"] as const) {
    if (owner[field] === "" && !isComplete) errors.push(invalid(`${path}.${field}`, "", "must not be empty"));
  }
  if (owner.apiVersion === "v1" && owner.kind === "Event") errors.push(invalid(path, owner, "an event cannot own"));
  return errors;
}

function validateFinalizers(finalizers: Items<string>, path: string): FieldErrors {
  if (!finalizers) return noErrors;
  const errors = ofEach(finalizers, (name) => each(isQualifiedName(name), path, name));
  if (!finalizers.includes(orphanFinalizer) || !finalizers.includes(foregroundFinalizer)) return errors;
  return [...errors, invalid(path, finalizers, `${orphanFinalizer} and ${foregroundFinalizer} exclude each other`)];
}

/** Built-in kinds require a prefix, except for the three names that the server itself uses. */
function validateFinalizerPrefixes(finalizers: Items<string>, path: string, vocabulary: Vocabulary): FieldErrors {
  const known = [orphanFinalizer, foregroundFinalizer, vocabulary.word("orch")];
  return ofEach(finalizers, (name, i) =>
    known.includes(name) || name.includes("/")
      ? noErrors
      : [invalid(`${path}[${i}]`, name, "must have a prefix: a.com/name")],
  );
}

/** A terminating object can only lose finalizers. */
function validateNoNewFinalizers(next: ObjectMeta, old: ObjectMeta, path: string): FieldErrors {
  const known = new Set(old.finalizers ?? []);
  const added = (next.finalizers ?? []).filter((name) => !known.has(name));
  if (added.length === 0) return [];
  return [forbidden(path, `nothing can be added while the object is being deleted: ${added.join(", ").slice(0, 200)}`)];
}

function validateManagedFields(entries: Items<ManagedFieldsEntry>, path: string): FieldErrors {
  return ofEach(entries, ({ operation, fieldsType, manager }, i) =>
    together(
      operation === "Apply" || operation === "Update"
        ? noErrors
        : [invalid(`${path}[${i}].operation`, operation ?? "", "must be Apply or Update")],
      fieldsType && fieldsType !== "FieldsV1"
        ? [invalid(`${path}[${i}].fieldsType`, fieldsType, "must be FieldsV1")]
        : noErrors,
      validateFieldManager(manager ?? "", `${path}[${i}].manager`),
    ),
  );
}

/** The name of a manager, in an object or in a query: one problem for each character that is not printable. */
export function validateFieldManager(manager: string, path: string): FieldErrors {
  // A character has at most three bytes for each unit of its length.
  if (manager.length * 3 <= fieldManagerBytesMax && isPrintable(manager)) return noErrors;
  const errors: FieldError[] = [];
  if (manager.length > fieldManagerBytesMax || Buffer.byteLength(manager) > fieldManagerBytesMax) {
    errors.push(tooLong(path, manager, fieldManagerBytesMax));
  }
  if (isPrintable(manager)) return errors;
  const problem = invalid(path, manager, "must have printable characters only");
  for (const character of manager) {
    if (!isPrintable(character)) errors.push(problem);
    if (errors.length > fieldManagerBytesMax) break;
  }
  return errors;
}

/** Letters, marks, numbers, punctuation, symbols and the plain space. */
export function isPrintable(text: string): boolean {
  // The first pattern is for nearly all; the second takes milliseconds to compile, which would slow down every start.
  return /^[ -~]*$/.test(text) || /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(text);
}

/** One more. Clients may send counts beyond 2^53, which are bigint in memory. */
export function nextGeneration(generation: number | undefined): number {
  // An int64 is a bigint where a number would not be exact; the type is number because nearly all are. `++` works for both.
  let next = generation ?? 0;
  next++;
  return next;
}
