/** The paths of the API: the operations of each path and their kinds, in OpenAPI v2. */

import { DeleteOptionsStruct, StatusStruct, WatchEventStruct } from "../codec/meta-types.ts";
import { patchMediaTypes } from "../patch/media-types.ts";
import type { BoundKind, BoundSubresource, Catalog } from "../schema/catalog.ts";
import { conventionsOf } from "../schema/conventions.ts";
import { atLevel } from "../schema/field-level.ts";
import { allVerbs, type Verb } from "../schema/kind.ts";
import type { Field, StructSchema } from "../schema/schema.ts";
import { operationsOfCollection, operationsOfWatch } from "./collection-operations.ts";
import { type Definitions, gvkOf } from "./definitions.ts";
import type { OpenApiOperation, OpenApiSchema, Parameter, PathItem } from "./document.ts";
import { groupTag, groupWord } from "./group-words.ts";
import { operationsOfConnection, operationsOfObject } from "./object-operations.ts";
import { mediaTypesOf, type PlannedOperation, pathsOf, responsesOf, type SharedParts } from "./operations.ts";
import {
  nameInPath,
  namespaceInPath,
  optionsOf,
  parametersOf,
  pretty,
  restOfPath,
  shareParameters,
} from "./parameters.ts";

/** Adds operations to paths. One is made for one document. */
export class PathWriter {
  readonly #catalog: Catalog;
  readonly #definitions: Definitions;
  readonly #parts: SharedParts;
  #paths: Record<string, PathItem> = {};

  constructor(catalog: Catalog, definitions: Definitions) {
    this.#catalog = catalog;
    this.#definitions = definitions;
    this.#parts = sharedParts(catalog, definitions);
  }

  addKind(kind: BoundKind): void {
    const { item: path } = pathsOf(kind);
    const verbs = new Set<Verb>(kind.declaration.verbs ?? allVerbs);
    this.#add(kind, operationsOfCollection(kind, verbs, this.#definitions, this.#parts));
    const ofOne = new Set([...verbs].filter((verb) => verb !== "create"));
    const object = this.#definitions.referToKind(kind);
    const { returnsDeleted, beginDeletion } = kind.strategy;
    // As in the reference, which documents a Status for namespaces, and returns them.
    const deleted = returnsDeleted && beginDeletion === undefined ? object : this.#parts.status;
    const item = { path, suffix: "", verbs: ofOne, object, deleted, gvk: gvkOf(kind), options: [] };
    this.#add(kind, operationsOfObject(kind, item, this.#parts));
    if (verbs.has("watch") && conventionsOf(kind).showsWatchPaths)
      this.#add(kind, operationsOfWatch(kind, this.#parts));
    for (const subresource of kind.subresources.values()) this.#addSubresource(kind, path, subresource);
  }

  /** Removes and returns all that were added so far. */
  take(): Record<string, PathItem> {
    const taken = Object.entries(this.#paths).map(([path, item]) => [path, shareParameters(item)] as const);
    this.#paths = {};
    return Object.fromEntries(taken);
  }

  #addSubresource(kind: BoundKind, itemPath: string, subresource: BoundSubresource): void {
    const { name, verbs } = subresource;
    const path = `${itemPath}/${name}`;
    const suffix = name[0]?.toUpperCase() + name.slice(1);
    if (isConnect(this.#catalog, kind, subresource)) {
      this.#add(kind, operationsOfConnection(kind, path, suffix, subresource));
      if (name === "proxy")
        this.#add(kind, operationsOfConnection(kind, `${path}/{path}`, `${suffix}WithPath`, subresource));
      return;
    }
    const { types, status: deleted } = this.#parts;
    const accepted = acceptedKind(this.#catalog, kind, subresource);
    const isText = name === "log";
    const object: OpenApiSchema = isText ? { type: "string" } : this.#definitions.referToKind(accepted);
    const produces = isText ? { produces: ["text/plain", ...types.object] } : {};
    const options = optionsOf(subresource);
    const item = { path, suffix, verbs: new Set(verbs), object, deleted, gvk: gvkOf(accepted), options, ...produces };
    this.#add(kind, operationsOfObject(kind, item, this.#parts));
  }

  #add(kind: BoundKind, operations: readonly PlannedOperation[]): void {
    for (const operation of operations) {
      const item = this.#paths[operation.path] ?? { parameters: pathParameters(operation, kind) };
      this.#paths[operation.path] = item;
      item[operation.method] = this.#written(kind, operation);
    }
  }

  #written(kind: BoundKind, operation: PlannedOperation): OpenApiOperation {
    const { vocabulary } = this.#catalog.environment;
    const { consumes = ["*/*"], produces = this.#parts.types.object, parameters, deprecated } = operation;
    const [verb, subject] = operation.id;
    const extension = (name: string) => `x-${vocabulary.extensionPrefix.slice(2)}${name}` as const;
    const hasProtobuf = kind.codec.protobuf !== undefined;
    const hasStrategicMerge = kind.codec.mergeStrategically !== undefined;
    return {
      description: operation.description,
      operationId: verb + groupWord(vocabulary, kind.group, kind.version) + subject,
      tags: [groupTag(vocabulary, kind.group, kind.version)],
      consumes: hasStrategicMerge ? consumes : consumes.filter((type) => type !== patchMediaTypes.strategic),
      produces: hasProtobuf ? produces : produces.filter((type) => !type.startsWith(vocabulary.protobufMediaType)),
      schemes: ["https"],
      ...(deprecated === true ? { deprecated } : {}),
      ...(parameters === undefined ? {} : { parameters }),
      responses: responsesOf(operation),
      [extension("action")]: operation.action,
      [extension("group-version-kind")]: operation.gvk ?? gvkOf(kind),
    };
  }
}

function sharedParts(catalog: Catalog, definitions: Definitions): SharedParts {
  const { environment } = catalog;
  const names = groupVersions(catalog);
  // All three are made by struct().
  const whole = (field: Field, kind: string, everywhere: boolean) =>
    definitions.referToWhole(
      atLevel(environment.level).schema(field.schema as StructSchema),
      (everywhere ? names : [{ group: "", version: "v1" }]).map((gv) => ({ ...gv, kind })),
    );
  return {
    parameters: parametersOf(environment),
    types: mediaTypesOf(environment),
    status: whole(StatusStruct, "Status", false),
    deleteOptions: whole(DeleteOptionsStruct, "DeleteOptions", true),
    watchEvent: whole(WatchEventStruct, "WatchEvent", true),
    patch: definitions.referToLeaf("apimachinery.pkg.apis.meta.v1.Patch"),
  };
}

function pathParameters({ path, action }: PlannedOperation, kind: BoundKind): readonly Parameter[] {
  return [
    ...(path.includes("{name}") ? [nameInPath(kind.kind)] : []),
    ...(path.includes("{namespace}") ? [namespaceInPath] : []),
    ...(path.endsWith("{path}") ? [restOfPath] : []),
    ...(action === "connect" ? [] : [pretty]),
  ];
}

/** A subresource whose kind is only the options of a connection, not a real kind of its group version. */
const isConnect = (catalog: Catalog, kind: BoundKind, { action, accepts, shownKind }: BoundSubresource): boolean =>
  action !== undefined &&
  accepts === undefined &&
  shownKind !== undefined &&
  catalog.byKind(kind.group, kind.version, shownKind) === undefined;

function acceptedKind(catalog: Catalog, kind: BoundKind, { accepts, shownKind }: BoundSubresource): BoundKind {
  const found =
    accepts === undefined
      ? catalog.byKind(kind.group, kind.version, shownKind ?? kind.kind)
      : catalog.byKind(accepts.group, accepts.version, accepts.kind);
  return found ?? kind;
}

function groupVersions(catalog: Catalog): { group: string; version: string }[] {
  // Only built-in kinds: what one definition serves must not change the documents of all others.
  return catalog
    .groups()
    .flatMap(({ group, versions }) => versions.map((version) => ({ group, version })))
    .filter(({ group, version }) =>
      catalog.ofGroupVersion(group, version).some((kind) => !conventionsOf(kind).isTemporary),
    );
}
