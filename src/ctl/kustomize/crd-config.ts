/** What the OpenAPI definitions in `crds` say about fields of custom kinds: references, labels, annotations, names. */

import { decodeYaml } from "../../machinery/codec/yaml.ts";
import { CtlError } from "../errors.ts";
import { isJson, type Json, object, text } from "../json.ts";
import type { FieldSpec } from "./field-spec.ts";
import type { KustomizationFolder } from "./folder.ts";
import type { Reference } from "./reference-fields.ts";
import { emptyConfig, mergeConfigs, type TransformerConfig } from "./transformer-config.ts";

export function readDefinitions(folder: KustomizationFolder, path: string): TransformerConfig {
  const source = folder.pathOf(path);
  const content = readFile(folder, path);
  if (!isJson(content)) throw new CtlError(`unable to parse open API definition from '${source}'`);
  let config = emptyConfig;
  for (const [name, definition] of Object.entries(content)) {
    const properties = object(definition, "Schema", "properties");
    if (!["kind", "apiVersion", "metadata"].every((field) => Object.hasOwn(properties, field))) continue;
    const found: Found = { annotations: [], labels: [], names: [], references: [] };
    collect({ content, kind: name.split(".").at(-1) ?? name, found }, [name], []);
    config = mergeConfigs(config, {
      ...emptyConfig,
      commonAnnotations: found.annotations,
      commonLabels: found.labels,
      namePrefix: found.names,
      nameReference: found.references,
    });
  }
  return config;
}

function readFile(folder: KustomizationFolder, path: string): unknown {
  try {
    return decodeYaml(Buffer.from(folder.readText(path)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CtlError(`loading CRDs [${path}]: ${reason}`, { cause: error });
  }
}

interface Found {
  readonly annotations: FieldSpec[];
  readonly labels: FieldSpec[];
  readonly names: FieldSpec[];
  readonly references: Reference[];
}

interface Collection {
  readonly content: Json;
  readonly kind: string;
  readonly found: Found;
}

/** `names`: the definitions that contain each other, from the kind to this one. A definition within itself adds nothing. */
function collect(collection: Collection, names: readonly string[], path: readonly string[]): void {
  const { content, kind, found } = collection;
  for (const [field, property] of Object.entries(object(content, names.at(-1) ?? "", "Schema", "properties"))) {
    if (!isJson(property)) continue;
    const spec = (...more: readonly string[]): FieldSpec => ({ kind, path: [...path, field, ...more].join("/") });
    if (typeof property["x-kubernetes-annotation"] === "string") found.annotations.push(spec());
    if (typeof property["x-kubernetes-label-selector"] === "string") found.labels.push(spec());
    if (typeof property["x-kubernetes-identity"] === "string") found.names.push(spec());
    const version = property["x-kubernetes-object-ref-api-version"];
    const target = property["x-kubernetes-object-ref-kind"];
    if (typeof version === "string" && typeof target === "string") {
      const key = text(property, "x-kubernetes-object-ref-name-key") || "name";
      found.references.push({ kind: target, version, fieldSpecs: [spec(key)] });
    }
    const inner = property["$ref"];
    if (typeof inner === "string" && !names.includes(inner)) collect(collection, [...names, inner], [...path, field]);
  }
}
