/** Patches of a kustomization: strategic merges and JSON patches, by name or by target. */

import { decodeYaml } from "../../machinery/codec/yaml.ts";
import { applyJsonPatch } from "../../machinery/patch/json-patch.ts";
import { applyMergePatch } from "../../machinery/patch/merge-patch.ts";
import { applyStrategicMerge } from "../../machinery/patch/strategic-merge.ts";
import { parseLabelSelector } from "../../machinery/selectors/label-selector.ts";
import { CtlError } from "../errors.ts";
import { parseManifests } from "../input/manifests.ts";
import { copy, groupOf, isJson, type Json, kindOf, list, nameOf, namespaceOf, object, text, texts } from "../json.ts";
import type { Resource } from "./build.ts";
import type { SchemaOf } from "./declared-schemas.ts";
import type { KustomizationFolder } from "./folder.ts";

export interface KustomizePatchOptions {
  readonly folder: KustomizationFolder;
  readonly schemaOf: SchemaOf;
}

export function applyPatches(resources: Resource[], spec: Json, options: KustomizePatchOptions): void {
  const { folder, schemaOf } = options;
  for (const entry of texts(spec, "patchesStrategicMerge")) {
    const path = folder.pathOf(entry);
    const isFile = !entry.includes("\n") && folder.has(entry);
    if (!isFile && !entry.includes("\n"))
      throw new CtlError(`patchesStrategicMerge: ${path}: no such file or directory`);
    const content = isFile ? folder.readText(entry) : entry;
    for (const { object: patch } of parseManifests(content, isFile ? path : folder.path))
      byName(resources, patch, schemaOf);
  }
  for (const entry of list(spec, "patches")) {
    const content = patchText(entry, folder);
    const target = entry["target"];
    const value = decodeYaml(Buffer.from(content));
    if (isJson(target)) for (const resource of chosen(resources, target)) patchOne(resource, value, schemaOf);
    else for (const { object: patch } of parseManifests(content, folder.path)) byName(resources, patch, schemaOf);
  }
  for (const entry of list(spec, "patchesJson6902")) {
    const found = chosen(resources, object(entry, "target"), true);
    if (found.length === 0) throw new CtlError(`unable to find target for patch ${JSON.stringify(entry["target"])}`);
    for (const resource of found) patchOne(resource, decodeYaml(Buffer.from(patchText(entry, folder))), schemaOf);
  }
}

function patchText(entry: Json, folder: KustomizationFolder): string {
  const inline = text(entry, "patch");
  if (inline !== "") return inline;
  try {
    return folder.readText(text(entry, "path"));
  } catch (error) {
    const reason = error instanceof CtlError ? `: ${error.message}` : "";
    throw new CtlError(`unable to load patch ${text(entry, "path")} in ${folder.path}${reason}`, { cause: error });
  }
}

function byName(resources: Resource[], patch: Json, schemaOf: SchemaOf): void {
  const found = resources.filter(
    ({ object: value, originalName }) =>
      kindOf(value) === kindOf(patch) &&
      groupOf(text(value, "apiVersion")) === groupOf(text(patch, "apiVersion")) &&
      (originalName === nameOf(patch) || nameOf(value) === nameOf(patch)) &&
      (namespaceOf(patch) === "" || namespaceOf(patch) === namespaceOf(value)),
  );
  if (found.length === 0)
    throw new CtlError(`no matches for Id ${kindOf(patch)} ${nameOf(patch)}; failed to find unique target for patch`);
  for (const resource of found) patchOne(resource, patch, schemaOf);
}

function patchOne(resource: Resource, patch: unknown, schemaOf: SchemaOf): void {
  if (Array.isArray(patch)) {
    const result = applyJsonPatch(resource.object, patch);
    if (isJson(result)) resource.object = result;
    return;
  }
  if (!isJson(patch)) throw new CtlError("a patch must be a mapping or a list of operations");
  if (patch["$patch"] === "delete") {
    resource.object = {};
    return;
  }
  const name = nameOf(resource.object);
  const { apiVersion: _, kind: __, ...rest } = patch;
  const merged = mergePatch(resource.object, rest, schemaOf);
  const metadata = object(merged, "metadata");
  // A patch that is selected by a target may contain any name.
  if (metadata["name"] !== undefined) metadata["name"] = name;
  resource.object = merged;
}

/** Lists of custom kinds have no merge keys, so they are replaced as a whole. */
function mergePatch(value: Json, patch: Json, schemaOf: SchemaOf): Json {
  const schema = schemaOf(value);
  const merged = schema === undefined ? applyMergePatch(value, patch) : applyStrategicMerge(schema, value, patch);
  return isJson(merged) ? copy(merged) : value;
}

function chosen(resources: readonly Resource[], target: Json, isExact = false): Resource[] {
  const isMatch = (key: string, value: string) => {
    const wanted = text(target, key);
    return wanted === "" || (isExact ? wanted === value : new RegExp(`^(?:${wanted})$`).test(value));
  };
  return resources.filter(({ object: value, originalName }) => {
    const [version = ""] = text(value, "apiVersion").split("/").slice(-1);
    return (
      isMatch("kind", kindOf(value)) &&
      isMatch("group", groupOf(text(value, "apiVersion"))) &&
      isMatch("version", version) &&
      (isMatch("name", originalName) || isMatch("name", nameOf(value))) &&
      isMatch("namespace", namespaceOf(value)) &&
      isSelected(text(target, "labelSelector"), object(value, "metadata", "labels")) &&
      isSelected(text(target, "annotationSelector"), object(value, "metadata", "annotations"))
    );
  });
}

function isSelected(selector: string, labels: Json): boolean {
  if (selector === "") return true;
  const map = new Map(Object.entries(labels).map(([key, value]) => [key, String(value)]));
  return parseLabelSelector(selector).matches(map);
}
