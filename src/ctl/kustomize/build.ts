/** Builds a kustomization: the resources of a folder and its bases, changed according to `kustomization.yaml`. */

import { resolve } from "node:path";
import { decodeYaml } from "../../machinery/codec/yaml.ts";
import type { ProgramEnvironment } from "../environment.ts";
import { CtlError } from "../errors.ts";
import { parseManifests } from "../input/manifests.ts";
import { copy, ensure, isJson, type Json, kindOf, list, nameOf, object, text, texts } from "../json.ts";
import { declaredSchemas, type SchemaOf } from "./declared-schemas.ts";
import { KustomizationFolder, type LoadRestrictor } from "./folder.ts";
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

export async function buildKustomization(
  folder: string,
  environment: ProgramEnvironment,
  restrictor: LoadRestrictor = "LoadRestrictionsRootOnly",
): Promise<Json[]> {
  const root = new KustomizationFolder(resolve(environment.cwd, folder), restrictor);
  const built = buildFolder(root, { schemaOf: await declaredSchemas(environment), depth: 0 }, []);
  renameAll(built.resources, { prefix: "", suffix: "", withHashes: true });
  applyVars(built.resources, built.vars);
  return built.resources.map(({ object: value }) => value).sort(legacyOrder);
}

interface Nesting {
  readonly schemaOf: SchemaOf;
  readonly depth: number;
}

interface Built {
  readonly resources: Resource[];
  readonly vars: Json[];
}

function buildFolder(folder: KustomizationFolder, { schemaOf, depth }: Nesting, inherited: Resource[]): Built {
  if (depth > depthMax) throw new CtlError(`${folder.path}: kustomizations are nested deeper than ${depthMax}`);
  const below = { schemaOf, depth: depth + 1 };
  const spec = readSpec(folder);
  const resources: Resource[] = [...inherited];
  const vars: Json[] = [];
  for (const name of [...texts(spec, "resources"), ...texts(spec, "bases")]) {
    if (/^(https?:|git@|github\.com)/.test(name))
      throw new CtlError(`${folder.path}: ${name}: remote resources are not supported; download them first`);
    const accumulating = (problem: string) =>
      new CtlError(`accumulating resources: accumulation err='accumulating resources from '${name}': ${problem}'`);
    const path = folder.pathOf(name);
    if (!folder.has(name)) throw accumulating(`${path}: no such file or directory`);
    if (folder.isFolder(name)) {
      const base = buildFolder(folder.folder(name), below, []);
      resources.push(...base.resources);
      vars.push(...base.vars);
    } else
      for (const { object: value, problem } of parseManifests(readResource(folder, name, accumulating), path)) {
        if (problem !== undefined) throw problem;
        resources.push(resourceOf(value, path));
      }
  }
  checkUnique(resources, folder.path);
  refuseUnknown(spec, folder);
  checkDefinitions(spec, folder);
  for (const made of [...generate(spec, folder), ...builtInGenerators(spec, folder)]) addGenerated(resources, made);
  let all = resources;
  for (const name of texts(spec, "components")) {
    const built = buildFolder(folder.folder(name), below, all);
    all = built.resources;
    vars.push(...built.vars);
  }
  applyPatches(all, spec, { folder, schemaOf });
  setNamespace(all, text(spec, "namespace"));
  renameAll(all, { prefix: text(spec, "namePrefix"), suffix: text(spec, "nameSuffix"), withHashes: false });
  setLabels(all, spec);
  setImages(all, list(spec, "images"));
  setReplicas(all, list(spec, "replicas"));
  runTransformers(all, spec, { folder, schemaOf });
  vars.push(...list(spec, "vars"));
  return { resources: all.filter(({ object: value }) => Object.keys(value).length > 0), vars };
}

/** The schemas of `crds` change nothing here, but as in kustomize a file that is missing or elsewhere is an error. */
function checkDefinitions(spec: Json, folder: KustomizationFolder): void {
  for (const name of texts(spec, "crds")) {
    const refuse = (problem: string) => new CtlError(`${folder.path}: crds: ${problem}`);
    if (!folder.has(name)) throw refuse(`${folder.pathOf(name)}: no such file or directory`);
    readResource(folder, name, refuse);
  }
}

function readResource(folder: KustomizationFolder, name: string, refuse: (problem: string) => CtlError): string {
  try {
    return folder.readText(name);
  } catch (error) {
    throw error instanceof CtlError ? refuse(error.message) : error;
  }
}

function readSpec(folder: KustomizationFolder): Json {
  const found = fileNames.filter((name) => folder.has(name));
  const [file] = found;
  if (file === undefined)
    throw new CtlError(
      `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${folder.path}'`,
    );
  if (found.length > 1) throw new CtlError(`Found multiple kustomization files under: ${folder.path}`);
  const path = folder.pathOf(file);
  const value = decodeYaml(folder.read(file));
  if (!isJson(value)) throw new CtlError(`${path} must be a mapping`);
  return Object.fromEntries(
    Object.entries(value).map(([key, content]) => {
      const known = knownFields.get(key.toLowerCase());
      if (known === undefined) throw new CtlError(`${path}: json: unknown field "${key}"`);
      return [known, content];
    }),
  );
}

/** Kustomize reads the names of its fields without regard to case. */
const knownFields: ReadonlyMap<string, string> = new Map(
  `apiVersion kind metadata resources bases components namespace namePrefix nameSuffix commonLabels commonAnnotations
  patches patchesStrategicMerge patchesJson6902 images replicas configMapGenerator secretGenerator generatorOptions vars crds
  configurations openapi inventory generators transformers validators`
    .split(/\s+/)
    .map((name) => [name.toLowerCase(), name]),
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
