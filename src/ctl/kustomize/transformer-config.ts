/** Which fields transformers change: kustomize's own, and those that `configurations` and `crds` add. */

import { decodeYaml } from "../../machinery/codec/yaml.ts";
import { CtlError } from "../errors.ts";
import { isJson, type Json, text } from "../json.ts";
import {
  commonAnnotations,
  commonLabels,
  images,
  namespaces,
  replicas,
  templateLabels,
  variables,
} from "./default-fields.ts";
import { type FieldSpec, mergeSpecs } from "./field-spec.ts";
import type { KustomizationFolder } from "./folder.ts";
import { configurationShape } from "./kustomization-fields.ts";
import { type Reference, references } from "./reference-fields.ts";
import { checkShape } from "./shape.ts";
import { fromPlain, plainValue } from "./value.ts";

const specFields = [
  "namePrefix",
  "nameSuffix",
  "namespace",
  "commonLabels",
  "templateLabels",
  "commonAnnotations",
  "varReference",
  "images",
  "replicas",
] as const;
type SpecField = (typeof specFields)[number];

export type TransformerConfig = Readonly<Record<SpecField, readonly FieldSpec[]>> & {
  readonly nameReference: readonly Reference[];
};

export const defaultConfig: TransformerConfig = {
  namePrefix: [{ path: "metadata/name" }],
  nameSuffix: [{ path: "metadata/name" }],
  namespace: namespaces,
  commonLabels,
  templateLabels,
  commonAnnotations,
  varReference: variables,
  images,
  replicas,
  nameReference: references,
};

export const emptyConfig: TransformerConfig = {
  namePrefix: [],
  nameSuffix: [],
  namespace: [],
  commonLabels: [],
  templateLabels: [],
  commonAnnotations: [],
  varReference: [],
  images: [],
  replicas: [],
  nameReference: [],
};

export function mergeConfigs(one: TransformerConfig, other: TransformerConfig): TransformerConfig {
  if (one === other || other === emptyConfig) return one;
  if (one === emptyConfig) return other;
  const merged: Record<SpecField, readonly FieldSpec[]> = { ...one };
  for (const field of specFields) merged[field] = mergeSpecs(one[field], other[field]);
  return { ...merged, nameReference: mergeReferences(one.nameReference, other.nameReference) };
}

function mergeReferences(one: readonly Reference[], other: readonly Reference[]): Reference[] {
  const merged = new Map(one.map((reference) => [keyOfReference(reference), reference]));
  for (const reference of other) {
    const known = merged.get(keyOfReference(reference));
    const fieldSpecs = known === undefined ? reference.fieldSpecs : mergeSpecs(known.fieldSpecs, reference.fieldSpecs);
    merged.set(keyOfReference(reference), { ...reference, fieldSpecs });
  }
  return [...merged.values()];
}

const keyOfReference = ({ group = "", version = "", kind = "" }: Reference): string => [group, version, kind].join("|");

/** A file of `configurations`. */
export function readConfiguration(folder: KustomizationFolder, path: string): TransformerConfig {
  const source = folder.pathOf(path);
  const content = fromPlain(decodeYaml(Buffer.from(folder.readText(path))));
  const checked = plainValue(checkShape(content, configurationShape, { source, name: "TransformerConfig" }));
  if (!isJson(checked)) return emptyConfig;
  const read: Record<SpecField, readonly FieldSpec[]> = { ...emptyConfig };
  for (const field of specFields) read[field] = specsOf(checked[field], source);
  const named = checked["nameReference"];
  return {
    ...read,
    nameReference: (Array.isArray(named) ? named : [])
      .filter(isJson)
      .map((reference) => ({ ...kindOf(reference), fieldSpecs: specsOf(reference["fieldSpecs"], source) })),
  };
}

export function specsOf(value: unknown, source: string): FieldSpec[] {
  return (Array.isArray(value) ? value : []).filter(isJson).map((spec) => {
    if (text(spec, "path") === "") throw new CtlError(`${source}: a field spec needs a path`);
    return { ...kindOf(spec), path: text(spec, "path"), create: spec["create"] === true };
  });
}

const kindOf = (value: Json) => ({
  group: text(value, "group"),
  version: text(value, "version"),
  kind: text(value, "kind"),
});
