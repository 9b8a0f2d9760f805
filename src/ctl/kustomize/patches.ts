/** Patches of a kustomization: strategic merges and JSON patches, for resources that they name or that a target selects. */

import { decodeYaml } from "../../machinery/codec/yaml.ts";
import { CtlError } from "../errors.ts";
import type { KustomizationFolder } from "./folder.ts";
import { shownId } from "./identity.ts";
import { applyOperations } from "./json-patch.ts";
import { merge } from "./merge.ts";
import type { SchemaOf } from "./merge-schema.ts";
import { type Resource, resourcesOf, settleTexts } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";
import { select } from "./selector.ts";
import { at, copyValue, fromPlain, isMembers, type Members, plainValue, put, textAt, type YamlValue } from "./value.ts";
import { readDocuments } from "./yaml-documents.ts";

export interface PatchContext {
  readonly folder: KustomizationFolder;
  readonly schemaOf: SchemaOf;
}

/** An entry of `patches`. */
export function applyPatch(list: ResourceList, entry: Members, { folder, schemaOf }: PatchContext): void {
  const inline = textAt(entry, "patch").trim();
  const path = textAt(entry, "path");
  if (inline === "" && path === "") throw new CtlError(`${folder.path}: a patch must specify one of patch and path`);
  if (inline !== "" && path !== "")
    throw new CtlError(`${folder.path}: patch and path can't be set at the same time: ${path}`);
  const content = path === "" ? inline : folder.readText(path);
  const shown = path === "" ? `[patch: ${JSON.stringify(inline)}]` : `[path: "${path}"]`;
  const patch = parsePatch(content, shown, folder);
  const target = at(entry, "target");
  if (patch.operations !== undefined) {
    if (!isMembers(target)) throw new CtlError(`${folder.path}: must specify a target for JSON patch ${shown}`);
    applyToEach(selected(list, target), patch.operations);
  } else if (isMembers(target)) {
    const [only, ...others] = patch.merges;
    if (others.length > 0)
      throw new CtlError(
        `${folder.path}: Multiple Strategic-Merge Patches in one \`patches\` entry is not allowed to set \`patches.target\` field: ${shown}`,
      );
    if (only !== undefined)
      for (const resource of selected(list, target)) mergeInto(resource, settled(only), optionsOf(entry), schemaOf);
  } else
    for (const one of patch.merges) {
      const resource = list.byId(one.id);
      mergeInto(resource, one, optionsOf(entry), schemaOf);
      noteMerge(list, resource, optionsOf(entry));
    }
  if (isMembers(target)) list.changed();
}

/** Most merges leave the id as it is, and the list need not look at all resources again. */
function noteMerge(list: ResourceList, resource: Resource, allowed: Allowed): void {
  if (resource.isDeleted || allowed.name || allowed.kind) list.changed();
}

/** An entry of `patchesStrategicMerge`: a file, or the patches themselves. */
export function applyStrategicMerges(list: ResourceList, entry: string, { folder, schemaOf }: PatchContext): void {
  const isFile = !entry.includes("\n") && folder.has(entry);
  if (!isFile && !/[:{]/.test(entry))
    throw new CtlError(`patchesStrategicMerge: ${folder.pathOf(entry)}: no such file or directory`);
  const source = isFile ? folder.pathOf(entry) : `patchesStrategicMerge of ${folder.path}`;
  for (const document of readDocuments(isFile ? folder.readText(entry) : entry, source))
    for (const patch of resourcesOf(document, source)) {
      const resource = list.byId(patch.id);
      mergeInto(resource, patch, nothingAllowed, schemaOf);
      noteMerge(list, resource, nothingAllowed);
    }
}

/** An entry of `patchesJson6902`. */
export function applyJsonPatches(list: ResourceList, entry: Members, folder: KustomizationFolder): void {
  const target = at(entry, "target");
  const path = textAt(entry, "path");
  const content = path === "" ? textAt(entry, "patch") || textAt(entry, "jsonOp") : folder.readText(path);
  const operations = operationsOf(content.trim());
  if (operations === undefined)
    throw new CtlError(`${folder.path}: patchesJson6902: not a JSON patch: ${path || content}`);
  if (!isMembers(target)) throw new CtlError(`${folder.path}: must specify a target for patch ${path || content}`);
  applyToEach(selected(list, target), operations);
  list.changed();
}

function selected(list: ResourceList, target: Members): Resource[] {
  try {
    return select(list, target);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const { group, version, kind, name, namespace } = Object.fromEntries(
      ["group", "version", "kind", "name", "namespace"].map((field) => [field, textAt(target, field)]),
    );
    const id = shownId({
      group: group ?? "",
      version: version ?? "",
      kind: kind ?? "",
      name: name ?? "",
      namespace: namespace ?? "",
    });
    throw new CtlError(`unable to find patch target "${id}" in \`resources\`: ${reason}`, { cause: error });
  }
}

/** As in kustomize, a patch with a target sets labels and annotations to texts, and null is the text "null". */
function settled(patch: Resource): Resource {
  const copy = patch.copy();
  settleTexts(copy.members, "labels");
  settleTexts(copy.members, "annotations");
  return copy;
}

interface Allowed {
  readonly name: boolean;
  readonly kind: boolean;
}

const nothingAllowed: Allowed = { name: false, kind: false };

const optionsOf = (entry: Members): Allowed => ({
  name: at(entry, "options", "allowNameChange") === true,
  kind: at(entry, "options", "allowKindChange") === true,
});

function mergeInto(resource: Resource, patch: Resource, allowed: Allowed, schemaOf: SchemaOf): void {
  const { gvk, name, namespace } = resource;
  const apiVersion = at(resource.members, "apiVersion");
  if (allowed.name || allowed.kind) resource.rememberId();
  const changes = copyValue(patch.members);
  if (allowed.name || allowed.kind) settleTexts(changes, "annotations");
  if (apiVersion !== undefined) put(changes, "apiVersion", apiVersion);
  const merged = merge(resource.members, changes, schemaOf(gvk));
  resource.members = isMembers(merged) ? merged : {};
  if (resource.isDeleted) return;
  if (!allowed.kind) put(resource.members, "kind", gvk.kind);
  if (!allowed.name) resource.name = name;
  const metadata = at(resource.members, "metadata");
  if (!isMembers(metadata)) return;
  if (namespace === "") delete metadata["namespace"];
  else put(metadata, "namespace", namespace);
}

function applyToEach(resources: readonly Resource[], operations: readonly YamlValue[]): void {
  for (const resource of resources) {
    resource.rememberId();
    resource.members = numbersAsJson(resource.members);
    applyOperations(resource.members, operations);
    settleTexts(resource.members, "annotations");
  }
}

/** A JSON patch loses how numbers were written. */
function numbersAsJson(members: Members): Members {
  const value = fromPlain(plainValue(members));
  return isMembers(value) ? value : {};
}

type ParsedPatch =
  | { readonly operations: readonly YamlValue[]; readonly merges?: undefined }
  | { readonly operations?: undefined; readonly merges: readonly Resource[] };

function parsePatch(content: string, shown: string, folder: KustomizationFolder): ParsedPatch {
  let problem: unknown;
  try {
    const merges = readDocuments(content, folder.path).flatMap((document) => resourcesOf(document, folder.path));
    if (merges.length > 0) return { merges };
  } catch (error) {
    problem = error;
  }
  const operations = operationsOf(content.trim());
  if (operations !== undefined) return { operations };
  const reason = problem instanceof CtlError ? `: ${problem.message}` : "";
  throw new CtlError(`${folder.path}: unable to parse SM or JSON patch from ${shown}${reason}`, { cause: problem });
}

/** Undefined: it is not a list of operations. */
function operationsOf(content: string): readonly YamlValue[] | undefined {
  try {
    const value: unknown = content.startsWith("[") ? JSON.parse(content) : decodeYaml(Buffer.from(content));
    return Array.isArray(value) && value.every((one) => isMembers(fromPlain(one))) ? value.map(fromPlain) : undefined;
  } catch {
    return undefined;
  }
}
