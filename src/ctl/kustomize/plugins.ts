/** Generators and transformers of a kustomization in files: the built-in ones of kustomize. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CtlError } from "../errors.ts";
import { parseManifests } from "../input/manifests.ts";
import { type Json, kindOf, nameOf, namespaceOf, text, texts } from "../json.ts";
import type { Resource } from "./build.ts";
import { generate } from "./generators.ts";
import { renameAll } from "./names.ts";
import { applyPatches } from "./patches.ts";
import { setImages, setLabels, setNamespace, setReplicas } from "./transform.ts";

/** Fields that change the result in ways that are not supported here. */
const refused = ["configurations", "openapi", "validators"];

export function refuseUnknown(spec: Json, folder: string): void {
  const field = refused.find((name) => Object.hasOwn(spec, name));
  if (field !== undefined) throw new CtlError(`${folder}: the field "${field}" of a kustomization is not supported`);
}

export function builtInGenerators(spec: Json, folder: string): Resource[] {
  return configured(spec, "generators", folder).flatMap((plugin) => {
    const one = { ...plugin, name: nameOf(plugin), namespace: namespaceOf(plugin) };
    switch (kindOf(plugin)) {
      case "ConfigMapGenerator":
        return generate({ configMapGenerator: [one] }, folder);
      case "SecretGenerator":
        return generate({ secretGenerator: [one] }, folder);
      default:
        throw unknown(plugin, folder);
    }
  });
}

export function runTransformers(resources: Resource[], spec: Json, folder: string): void {
  for (const plugin of configured(spec, "transformers", folder)) {
    const run = Object.hasOwn(transformers, kindOf(plugin)) ? transformers[kindOf(plugin)] : undefined;
    if (run === undefined) throw unknown(plugin, folder);
    run(resources, plugin, folder);
  }
}

type Transformer = (resources: Resource[], plugin: Json, folder: string) => void;

const transformers: Readonly<Record<string, Transformer>> = {
  PrefixSuffixTransformer: (all, plugin) =>
    renameAll(all, { prefix: text(plugin, "prefix"), suffix: text(plugin, "suffix"), withHashes: false }),
  NamespaceTransformer: (all, plugin) => setNamespace(all, namespaceOf(plugin)),
  LabelTransformer: (all, plugin) => setLabels(all, { commonLabels: plugin["labels"] }),
  AnnotationsTransformer: (all, plugin) => setLabels(all, { commonAnnotations: plugin["annotations"] }),
  ImageTagTransformer: (all, plugin) => setImages(all, [plugin["imageTag"]].filter(isRule)),
  ReplicaCountTransformer: (all, plugin) => setReplicas(all, [plugin["replica"]].filter(isRule)),
  PatchTransformer: (all, plugin, folder) => applyPatches(all, { patches: [plugin] }, folder),
  PatchStrategicMergeTransformer: (all, plugin, folder) =>
    applyPatches(all, { patchesStrategicMerge: [...texts(plugin, "paths"), ...inline(plugin)] }, folder),
  PatchJson6902Transformer: (all, plugin, folder) =>
    applyPatches(all, { patchesJson6902: [{ ...plugin, patch: text(plugin, "jsonOp") }] }, folder),
};

const isRule = (value: unknown): value is Json => typeof value === "object" && value !== null;
const inline = (plugin: Json): string[] => (text(plugin, "patches") === "" ? [] : [`${text(plugin, "patches")}\n`]);

/** The contents of the files of the field; an entry may also be the text itself. */
function configured(spec: Json, field: string, folder: string): Json[] {
  return texts(spec, field).flatMap((entry) => {
    const path = join(folder, entry);
    const isText = entry.includes("\n");
    if (!isText && !existsSync(path)) throw new CtlError(`${field}: ${path}: no such file or directory`);
    return parseManifests(isText ? entry : readFileSync(path, "utf8"), isText ? folder : path).map(
      ({ object: value, problem }) => {
        if (problem !== undefined) throw problem;
        return value;
      },
    );
  });
}

const unknown = (plugin: Json, folder: string): CtlError =>
  new CtlError(
    `${folder}: ${text(plugin, "apiVersion")} ${kindOf(plugin)}: only the plugins that kustomize has built in are supported`,
  );
