/** Generators and transformers of a kustomization in files: the built-in ones of kustomize. */

import { CtlError } from "../errors.ts";
import { parseManifests } from "../input/manifests.ts";
import { type Json, kindOf, nameOf, namespaceOf, text, texts } from "../json.ts";
import type { Resource } from "./build.ts";
import type { KustomizationFolder } from "./folder.ts";
import { generate } from "./generators.ts";
import { renameAll } from "./names.ts";
import { applyPatches, type KustomizePatchOptions } from "./patches.ts";
import { setImages, setLabels, setNamespace, setReplicas } from "./transform.ts";

/** Fields that change the result in ways that are not supported here. */
const refused = ["configurations", "openapi", "validators"];

export function refuseUnknown(spec: Json, folder: KustomizationFolder): void {
  const field = refused.find((name) => Object.hasOwn(spec, name));
  if (field !== undefined)
    throw new CtlError(`${folder.path}: the field "${field}" of a kustomization is not supported`);
}

export function builtInGenerators(spec: Json, folder: KustomizationFolder): Resource[] {
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

export function runTransformers(resources: Resource[], spec: Json, options: KustomizePatchOptions): void {
  for (const plugin of configured(spec, "transformers", options.folder)) {
    const run = Object.hasOwn(transformers, kindOf(plugin)) ? transformers[kindOf(plugin)] : undefined;
    if (run === undefined) throw unknown(plugin, options.folder);
    run(resources, plugin, options);
  }
}

type Transformer = (resources: Resource[], plugin: Json, options: KustomizePatchOptions) => void;

const transformers: Readonly<Record<string, Transformer>> = {
  PrefixSuffixTransformer: (all, plugin) =>
    renameAll(all, { prefix: text(plugin, "prefix"), suffix: text(plugin, "suffix"), withHashes: false }),
  NamespaceTransformer: (all, plugin) => setNamespace(all, namespaceOf(plugin)),
  LabelTransformer: (all, plugin) => setLabels(all, { commonLabels: plugin["labels"] }),
  AnnotationsTransformer: (all, plugin) => setLabels(all, { commonAnnotations: plugin["annotations"] }),
  ImageTagTransformer: (all, plugin) => setImages(all, [plugin["imageTag"]].filter(isRule)),
  ReplicaCountTransformer: (all, plugin) => setReplicas(all, [plugin["replica"]].filter(isRule)),
  PatchTransformer: (all, plugin, options) => applyPatches(all, { patches: [plugin] }, options),
  PatchStrategicMergeTransformer: (all, plugin, options) =>
    applyPatches(all, { patchesStrategicMerge: [...texts(plugin, "paths"), ...inline(plugin)] }, options),
  PatchJson6902Transformer: (all, plugin, options) =>
    applyPatches(all, { patchesJson6902: [{ ...plugin, patch: text(plugin, "jsonOp") }] }, options),
};

const isRule = (value: unknown): value is Json => typeof value === "object" && value !== null;
const inline = (plugin: Json): string[] => (text(plugin, "patches") === "" ? [] : [`${text(plugin, "patches")}\n`]);

/** The contents of the files of the field; an entry may also be the text itself. */
function configured(spec: Json, field: string, folder: KustomizationFolder): Json[] {
  return texts(spec, field).flatMap((entry) => {
    const path = folder.pathOf(entry);
    const isText = entry.includes("\n");
    if (!isText && !folder.has(entry)) throw new CtlError(`${field}: ${path}: no such file or directory`);
    return parseManifests(isText ? entry : folder.readText(entry), isText ? folder.path : path).map(
      ({ object: value, problem }) => {
        if (problem !== undefined) throw problem;
        return value;
      },
    );
  });
}

const unknown = (plugin: Json, folder: KustomizationFolder): CtlError =>
  new CtlError(
    `${folder.path}: ${text(plugin, "apiVersion")} ${kindOf(plugin)}: only the plugins that kustomize has built in are supported`,
  );
