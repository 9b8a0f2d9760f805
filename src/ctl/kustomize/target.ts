/** Builds one kustomization or component, with its bases and in the order in which kustomize does. */

import { CtlError } from "../errors.ts";
import { Accumulation } from "./accumulation.ts";
import { readDefinitions } from "./crd-config.ts";
import type { KustomizationFolder } from "./folder.ts";
import { generateConfigMap, generateSecret } from "./generators.ts";
import { type Kustomization, membersIn, readKustomization, textsIn } from "./kustomization.ts";
import { kustomizationDepthMax } from "./limits.ts";
import { publishedSchemas, type SchemaOf } from "./merge-schema.ts";
import type { BuildMetadata, BuildOrigin } from "./origin.ts";
import { generatorPlugins, transformerPlugins, validate } from "./plugins.ts";
import { resourcesOf, settleTexts } from "./resource.ts";
import { type Step, stepsOf } from "./steps.ts";
import { defaultConfig, readConfiguration } from "./transformer-config.ts";
import { at, textAt } from "./value.ts";
import { declareVariables } from "./vars.ts";
import { readDocuments } from "./yaml-documents.ts";

interface BuilderOptions {
  readonly declared: SchemaOf;
  readonly warn: (text: string) => void;
  readonly metadata: BuildMetadata;
}

/** Where a kustomization is: how deep, and its path as origins show it. */
interface Position {
  readonly depth: number;
  readonly path: string;
}

export class TargetBuilder {
  readonly #options: BuilderOptions;
  /** The schemas of the kustomization that was read last: as in kustomize, they stay for those around it. */
  #schemaOf: SchemaOf;

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#schemaOf = options.declared;
  }

  /** Adds what the folder builds to `built`; a component changes what is in it. */
  build(
    folder: KustomizationFolder,
    kustomization: Kustomization,
    built: Accumulation,
    position: Position = { depth: 0, path: "" },
  ): void {
    if (position.depth > kustomizationDepthMax)
      throw new CtlError(`${folder.path}: kustomizations are nested deeper than ${kustomizationDepthMax}`);
    for (const warning of kustomization.warnings) this.#options.warn(warning);
    const { spec } = kustomization;
    this.#readSchemas(folder, kustomization);
    within("accumulating resources", () => this.#addResources(folder, textsIn(spec, "resources"), built, position));
    built.addConfig(defaultConfig);
    for (const path of textsIn(spec, "configurations")) built.addConfig(readConfiguration(folder, path));
    for (const path of textsIn(spec, "crds")) built.addConfig(readDefinitions(folder, path));
    this.#generate(folder, kustomization, built, position);
    for (const path of textsIn(spec, "components"))
      within("accumulating components", () => this.#addComponent(folder, path, built, position));
    this.#transform(folder, kustomization, built, position);
    declareVariables(built.list, built.variables, membersIn(spec, "vars"));
  }

  #readSchemas(folder: KustomizationFolder, { spec, fileName }: Kustomization): void {
    const path = textAt(spec, "openapi", "path");
    const version = textAt(spec, "openapi", "version");
    if (version !== "" && path !== "")
      throw new CtlError(`${folder.pathOf(fileName)}: openapi: specify path or version, not both`);
    if (version !== "" && version !== "v1.21.2")
      throw new CtlError(
        `${folder.pathOf(fileName)}: openapi: the specified OpenAPI version is not built in: ${version}`,
      );
    if (path !== "") this.#schemaOf = publishedSchemas(readDocument(folder, path));
  }

  #addResources(
    folder: KustomizationFolder,
    entries: readonly string[],
    built: Accumulation,
    position: Position,
  ): void {
    for (const entry of entries) {
      if (isRemote(entry, folder))
        throw new CtlError(`${folder.path}: ${entry}: remote resources are not supported; download them first`);
      if (folder.has(entry) && folder.isFolder(entry))
        within(`accumulating resources from '${entry}'`, () => this.#addFolder(folder, entry, built, position));
      else within(`accumulating resources from '${entry}'`, () => this.#addFile(folder, entry, built, position));
    }
  }

  #addFile(folder: KustomizationFolder, entry: string, built: Accumulation, { path }: Position): void {
    const source = folder.pathOf(entry);
    for (const document of readDocuments(folder.readText(entry), source))
      for (const resource of resourcesOf(document, source)) {
        // Origins are annotations too: adding one settles the others.
        if (this.#options.metadata.isWanted) settleTexts(resource.members, "annotations");
        resource.origin = { path: joined(path, entry) };
        built.list.append(resource);
      }
  }

  #addFolder(folder: KustomizationFolder, entry: string, built: Accumulation, position: Position): void {
    const base = folder.folder(entry);
    const kustomization = readKustomization(base);
    if (kustomization.isComponent) throw new CtlError(`expected kind != 'Component' for path '${base.path}'`);
    const own = new Accumulation();
    this.build(base, kustomization, own, deeper(position, entry));
    built.absorb(own);
  }

  #addComponent(folder: KustomizationFolder, entry: string, built: Accumulation, position: Position): void {
    if (isRemote(entry, folder))
      throw new CtlError(`${folder.path}: ${entry}: remote components are not supported; download them first`);
    const component = folder.folder(entry);
    const kustomization = readKustomization(component);
    if (!kustomization.isComponent)
      throw new CtlError(`expected kind 'Component' for path '${component.path}' but got 'Kustomization'`);
    this.build(component, kustomization, built, deeper(position, entry));
    built.list.checkUnique();
  }

  #generate(folder: KustomizationFolder, kustomization: Kustomization, built: Accumulation, position: Position): void {
    const { spec, fileName } = kustomization;
    const defaults = at(spec, "generatorOptions");
    const made = (kind: string): BuildOrigin => ({
      configuredIn: joined(position.path, fileName),
      configuredBy: { apiVersion: "builtin", kind },
    });
    for (const one of membersIn(spec, "configMapGenerator")) {
      const resource = generateConfigMap(one, defaults, folder);
      resource.origin = made("ConfigMapGenerator");
      built.list.absorb(resource);
    }
    for (const one of membersIn(spec, "secretGenerator")) {
      const resource = generateSecret(one, defaults, folder);
      resource.origin = made("SecretGenerator");
      built.list.absorb(resource);
    }
    for (const resource of generatorPlugins(this.#plugins(folder, kustomization, "generators", position), folder))
      built.list.absorb(resource);
  }

  #transform(folder: KustomizationFolder, kustomization: Kustomization, built: Accumulation, position: Position): void {
    const { spec, fileName } = kustomization;
    const context = { folder, schemaOf: this.#schemaOf, config: built.config };
    const configuredIn = joined(position.path, fileName);
    const steps: Step[] = stepsOf(spec, context).map((step) => ({
      ...step,
      origin: { configuredIn, configuredBy: { apiVersion: "builtin", kind: step.kind } },
    }));
    steps.push(...transformerPlugins(this.#plugins(folder, kustomization, "transformers", position), context));
    for (const { run, origin } of steps) {
      run(built.list);
      const { metadata } = this.#options;
      for (const resource of metadata.isWanted ? built.list.all : []) {
        // What is wanted is kept in annotations by kustomize, which writes all of them again.
        settleTexts(resource.members, "annotations");
        if (metadata.hasTransformations && origin !== undefined)
          resource.transformations = [...resource.transformations, origin];
      }
    }
    validate(built.list, transformerPlugins(this.#plugins(folder, kustomization, "validators", position), context));
  }

  /** The configurations of plugins: files, kustomizations that build some, or the text itself. */
  #plugins(
    folder: KustomizationFolder,
    { spec, fileName }: Kustomization,
    field: string,
    position: Position,
  ): Accumulation {
    const plugins = new Accumulation();
    const entries = textsIn(spec, field);
    for (const entry of entries.filter((one) => one.includes("\n")))
      for (const document of readDocuments(entry, `${field} of ${folder.path}`))
        for (const plugin of resourcesOf(document, folder.path)) {
          plugin.origin = { path: joined(position.path, fileName) };
          plugins.list.append(plugin);
        }
    const files = entries.filter((one) => !one.includes("\n"));
    within(field, () => this.#addResources(folder, files, plugins, { ...position, depth: position.depth + 1 }));
    return plugins;
  }
}

function readDocument(folder: KustomizationFolder, path: string): unknown {
  const text = folder.readText(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CtlError(`${folder.pathOf(path)}: openapi: not a JSON document: ${reason}`, { cause: error });
  }
}

/** A path that exists is never an address. */
function isRemote(entry: string, folder: KustomizationFolder): boolean {
  return (
    !folder.has(entry) &&
    /^(https?:|ssh:|git::|git@|file:|github\.com\/|[\w.-]+@[\w.-]+:)|\?ref=|\.git(\/|$)/.test(entry)
  );
}

const joined = (folder: string, entry: string): string => (folder === "" ? entry : `${folder}/${entry}`);
const deeper = ({ depth, path }: Position, entry: string): Position => ({
  depth: depth + 1,
  path: joined(path, entry),
});

/** Errors say where they happened. */
function within(place: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof CtlError)) throw error;
    throw new CtlError(`${place}: ${error.message}`, { cause: error });
  }
}
