/** Builds a kustomization: the resources of a folder and its bases, changed according to `kustomization.yaml`. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { decodeYaml } from "../../machinery/codec/yaml.ts";
import type { Environment } from "../environment.ts";
import { CtlError } from "../errors.ts";
import { parseManifests } from "../input/manifests.ts";
import { copy, ensure, isJson, type Json, kindOf, list, nameOf, object, text, texts } from "../json.ts";
import { generate } from "./generators.ts";
import { renameAll } from "./names.ts";
import { legacyOrder } from "./order.ts";
import { applyPatches } from "./patches.ts";
import { builtInGenerators, refuseUnknown, runTransformers } from "./plugins.ts";
import { setImages, setLabels, setNamespace, setReplicas } from "./transform.ts";
import { applyVars } from "./vars.ts";

const fileNames = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
/** Detects folders that refer to each other. */
const depthMax = 50;

/** A resource, and the name by which others of the same build refer to it. */
export interface Resource {
  object: Json;
  /** The name before prefixes, suffixes and hashes. */
  readonly originalName: string;
  readonly needsHash: boolean;
  /** The behaviours "create", "merge" and "replace" of generators. */
  readonly behavior: string;
}

export function buildKustomization(folder: string, environment: Environment): Json[] {
  const path = resolve(environment.cwd, folder);
  const built = buildFolder(path, 0, []);
  renameAll(built.resources, { prefix: "", suffix: "", withHashes: true });
  applyVars(built.resources, built.vars);
  return built.resources.map(({ object: value }) => value).sort(legacyOrder);
}

interface Built {
  readonly resources: Resource[];
  readonly vars: Json[];
}

function buildFolder(folder: string, depth: number, inherited: Resource[]): Built {
  if (depth > depthMax) throw new CtlError(`${folder}: kustomizations are nested deeper than ${depthMax}`);
  if (!existsSync(folder))
    throw new CtlError(
      `must build at directory: not a valid directory: evalsymlink failure on '${folder}' : lstat ${folder}: no such file or directory`,
    );
  const spec = readSpec(folder);
  const resources: Resource[] = [...inherited];
  const vars: Json[] = [];
  for (const name of [...texts(spec, "resources"), ...texts(spec, "bases")]) {
    if (/^(https?:|git@|github\.com)/.test(name))
      throw new CtlError(`${folder}: ${name}: remote resources are not supported; download them first`);
    const path = join(folder, name);
    if (!existsSync(path))
      throw new CtlError(
        `accumulating resources: accumulation err='accumulating resources from '${name}': ${path}: no such file or directory'`,
      );
    if (statSync(path).isDirectory()) {
      const base = buildFolder(path, depth + 1, []);
      resources.push(...base.resources);
      vars.push(...base.vars);
    } else
      for (const { object: value, problem } of parseManifests(readFileSync(path, "utf8"), path)) {
        if (problem !== undefined) throw problem;
        resources.push(resourceOf(value, path));
      }
  }
  checkUnique(resources, folder);
  refuseUnknown(spec, folder);
  for (const made of [...generate(spec, folder), ...builtInGenerators(spec, folder)]) addGenerated(resources, made);
  let all = resources;
  for (const name of texts(spec, "components")) {
    const built = buildFolder(join(folder, name), depth + 1, all);
    all = built.resources;
    vars.push(...built.vars);
  }
  applyPatches(all, spec, folder);
  setNamespace(all, text(spec, "namespace"));
  renameAll(all, { prefix: text(spec, "namePrefix"), suffix: text(spec, "nameSuffix"), withHashes: false });
  setLabels(all, spec);
  setImages(all, list(spec, "images"));
  setReplicas(all, list(spec, "replicas"));
  runTransformers(all, spec, folder);
  vars.push(...list(spec, "vars"));
  return { resources: all.filter(({ object: value }) => Object.keys(value).length > 0), vars };
}

function readSpec(folder: string): Json {
  const found = fileNames.map((name) => join(folder, name)).filter((path) => existsSync(path));
  const [file] = found;
  if (file === undefined)
    throw new CtlError(
      `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${folder}'`,
    );
  if (found.length > 1) throw new CtlError(`Found multiple kustomization files under: ${folder}`);
  const value = decodeYaml(Buffer.from(readFileSync(file)));
  if (!isJson(value)) throw new CtlError(`${file} must be a mapping`);
  const unknown = Object.keys(value).find((key) => !knownFields.has(key));
  if (unknown !== undefined) throw new CtlError(`${file}: json: unknown field "${unknown}"`);
  return value;
}

const knownFields = new Set(
  `apiVersion kind metadata resources bases components namespace namePrefix nameSuffix commonLabels commonAnnotations
  patches patchesStrategicMerge patchesJson6902 images replicas configMapGenerator secretGenerator generatorOptions vars crds
  configurations openapi inventory generators transformers validators`.split(/\s+/),
);

function resourceOf(value: Json, source: string): Resource {
  if (kindOf(value) === "") throw new CtlError(`${source}: Object 'Kind' is missing`);
  if (nameOf(value) === "") throw new CtlError(`${source}: missing metadata.name in object ${kindOf(value)}`);
  return { object: copy(value), originalName: nameOf(value), needsHash: false, behavior: "" };
}

function idOf({ object: value, originalName }: Resource): string {
  return [
    text(value, "apiVersion").replace(/\/[^/]*$/, ""),
    kindOf(value),
    text(value, "metadata", "namespace"),
    originalName,
  ].join("|");
}

function checkUnique(resources: readonly Resource[], folder: string): void {
  const seen = new Set<string>();
  for (const resource of resources) {
    const id = `${idOf(resource)}|${nameOf(resource.object)}`;
    if (seen.has(id))
      throw new CtlError(
        `${folder}: may not add resource with an already registered id: ${kindOf(resource.object)} ${nameOf(resource.object)}`,
      );
    seen.add(id);
  }
}

/** A generator may extend or replace an object that a base generated. */
function addGenerated(resources: Resource[], made: Resource): void {
  const at = resources.findIndex(
    (one) => kindOf(one.object) === kindOf(made.object) && one.originalName === made.originalName,
  );
  const before = resources[at];
  if (before === undefined) {
    if (made.behavior === "merge" || made.behavior === "replace")
      throw new CtlError(`id ${kindOf(made.object)} ${made.originalName} does not exist; cannot ${made.behavior}`);
    resources.push(made);
    return;
  }
  if (made.behavior !== "merge" && made.behavior !== "replace")
    throw new CtlError(
      `may not add resource with an already registered id: ${kindOf(made.object)} ${made.originalName}`,
    );
  const next = made.behavior === "replace" ? made.object : copy(before.object);
  if (made.behavior === "merge")
    for (const field of ["data", "binaryData", "stringData"])
      if (isJson(made.object[field])) Object.assign(ensure(next, field), made.object[field]);
  ensure(next, "metadata")["name"] = nameOf(before.object);
  if (isJson(object(made.object, "metadata")["labels"]))
    Object.assign(ensure(next, "metadata", "labels"), object(made.object, "metadata", "labels"));
  resources[at] = { object: next, originalName: before.originalName, needsHash: made.needsHash, behavior: "" };
}
