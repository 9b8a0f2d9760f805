/** Checks of storage classes. */

import { validateLabelKey } from "../../../machinery/meta/labels.ts";
import { isQualifiedName } from "../../../machinery/meta/names.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { addTo, duplicate, invalid, notSupported, required, tooLong } from "../../../machinery/status/field-error.ts";
import type { TopologySelectorTerm } from "../../core/v1/pod/scheduling.ts";

export const parametersMax = 512;
export const parameterBytesMax = 256 * 1024;
const reclaimPolicies = ["Delete", "Retain"];
const bindingModes = ["Immediate", "WaitForFirstConsumer"];

interface ClassLike {
  readonly provisioner: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly reclaimPolicy?: string;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly TopologySelectorTerm[];
}

export function validateStorageClass(one: ClassLike): FieldError[] {
  const { reclaimPolicy, volumeBindingMode } = one;
  const errors = [...validateProvisioner(one.provisioner), ...validateParameters(one.parameters ?? {})];
  if (reclaimPolicy && !reclaimPolicies.includes(reclaimPolicy))
    errors.push(notSupported("reclaimPolicy", reclaimPolicy, reclaimPolicies));
  if (volumeBindingMode === undefined) errors.push(required("volumeBindingMode"));
  else if (!bindingModes.includes(volumeBindingMode))
    errors.push(notSupported("volumeBindingMode", volumeBindingMode, bindingModes));
  return [...errors, ...validateTopologies(one.allowedTopologies ?? [], "allowedTopologies")];
}

function validateProvisioner(provisioner: string): FieldError[] {
  if (provisioner === "") return [required("provisioner")];
  return isQualifiedName(provisioner.toLowerCase()).map((problem) => invalid("provisioner", provisioner, problem));
}

function validateParameters(parameters: Readonly<Record<string, string>>): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > parametersMax) return [tooLong("parameters", entries.length, parametersMax)];
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of entries) {
    if (key === "") errors.push(invalid("parameters", key, "a parameter must have a name"));
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  return size > parameterBytesMax ? [...errors, tooLong("parameters", "", parameterBytesMax)] : errors;
}

/** Two equal terms, in any order, are a duplicate; an empty term is not allowed. */
function validateTopologies(terms: readonly TopologySelectorTerm[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set([textOf(new Map())]);
  terms.forEach((term, index) => {
    const at = `${path}[${index}].matchLabelExpressions`;
    const asks = new Map<string, string[]>();
    for (const [position, { key, values }] of (term.matchLabelExpressions ?? []).entries()) {
      addTo(errors, validateValues(values ?? [], `${at}[${position}].values`));
      errors.push(...validateLabelKey(key, `${at}[${position}].key`));
      if (asks.has(key)) errors.push(duplicate(`${at}[${position}].key`, key));
      asks.set(key, [...new Set(values ?? [])].sort());
    }
    const asked = textOf(asks);
    if (seen.has(asked)) errors.push(duplicate(at, ""));
    seen.add(asked);
  });
  return errors;
}

/** The same key for equivalent terms. */
function textOf(asks: ReadonlyMap<string, readonly string[]>): string {
  const asked = [...asks].filter(([, values]) => values.length > 0);
  return JSON.stringify(asked.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function validateValues(values: readonly string[], path: string): FieldError[] {
  if (values.length === 0) return [required(path)];
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    const repeated = seen.has(value);
    seen.add(value);
    return repeated ? [duplicate(`${path}[${index}]`, value)] : [];
  });
}
