/** The paths of the API: the operations of each path and their kinds, in OpenAPI v2. */

import { DeleteOptionsStruct, StatusStruct, WatchEventStruct } from "../codec/meta-types.ts";
import { patchMediaTypes } from "../patch/media-types.ts";
import type { BoundKind, BoundSubresource, Catalog } from "../schema/catalog.ts";
import { conventionsOf } from "../schema/conventions.ts";
import { atLevel } from "../schema/field-level.ts";
import { allVerbs, type Verb } from "../schema/kind.ts";
import type { Field, StructSchema } from "../schema/schema.ts";
import { type Definitions, gvkOf } from "./definitions.ts";
import type { Method, OpenApiOperation, OpenApiSchema, Parameter, PathItem, Response } from "./document.ts";
import { groupTag, groupWord } from "./group-words.ts";
import {
  body,
  nameInPath,
  namespaceInPath,
  optionsOf,
  parametersOf,
  pretty,
  restOfPath,
  shareParameters,
} from "./parameters.ts";

/** Adds operations to paths. One is made for one document. */
interface PathWriter {
  addKind(kind: BoundKind): void;
  /** Removes and returns all that were added so far. */
  take(): Record<string, PathItem>;
}

const patchTypes: readonly string[] = Object.values(patchMediaTypes);

interface Plan {
  readonly path: string;
  readonly method: Method;
  /** The value of the extension "action". */
  readonly action: string;
  /** "list", "CoreV1" and "NamespacedPod" make the operation's id. */
  readonly id: readonly [verb: string, subject: string];
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  readonly answer: OpenApiSchema;
  readonly codes?: readonly number[];
  readonly deprecated?: boolean;
  /** Set if it is not the kind of the path. */
  readonly gvk?: ReturnType<typeof gvkOf>;
}

/** An operation on one object; path, subject and kind are added where it is used. */
interface ObjectOperation extends Pick<Plan, "method" | "parameters" | "consumes" | "produces" | "answer" | "codes"> {
  readonly verb: Verb;
  /** The verb of the operation's id. */
  readonly id: string;
  /** The verb of the description; absent: that of the id. */
  readonly does?: string;
}

/** What the path of an object, or of one of its subresources, is about. */
interface Item {
  /** "Status"; "": the object itself. */
  readonly suffix: string;
  readonly object: OpenApiSchema;
  /** What a delete answers with. */
  readonly deleted: OpenApiSchema;
  readonly gvk: ReturnType<typeof gvkOf>;
  /** What a read takes in the query. */
  readonly options: readonly Parameter[];
  /** Of a read; absent: the types of objects. */
  readonly produces?: readonly string[];
}

const sentences: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

export function createPathWriter(catalog: Catalog, definitions: Definitions): PathWriter {
  const { vocabulary } = catalog.environment;
  const parameters = parametersOf(catalog.environment);
  let paths: Record<string, PathItem> = {};
  const extension = (name: string) => `x-${vocabulary.extensionPrefix.slice(2)}${name}` as const;
  const objectTypes = ["application/json", "application/yaml", vocabulary.protobufMediaType];
  const listTypes = [...objectTypes, "application/json;stream=watch", `${vocabulary.protobufMediaType};stream=watch`];
  const names = groupVersions(catalog);
  // All three are made by struct().
  const whole = (field: Field, kind: string, everywhere: boolean) =>
    definitions.referToWhole(
      atLevel(catalog.environment.level).schema(field.schema as StructSchema),
      (everywhere ? names : [{ group: "", version: "v1" }]).map((gv) => ({ ...gv, kind })),
    );
  const status = whole(StatusStruct, "Status", false);
  const deleteOptions = whole(DeleteOptionsStruct, "DeleteOptions", true);
  const watchEvent = whole(WatchEventStruct, "WatchEvent", true);
  const patch = definitions.referToLeaf("apimachinery.pkg.apis.meta.v1.Patch");

  const produced = ({ codec }: BoundKind, types: readonly string[]) =>
    codec.protobuf === undefined ? types.filter((type) => !type.startsWith(vocabulary.protobufMediaType)) : types;
  const consumed = ({ codec }: BoundKind, types: readonly string[]) =>
    codec.mergeStrategically === undefined ? types.filter((type) => type !== patchMediaTypes.strategic) : types;

  function add(kind: BoundKind, plan: Plan): void {
    const [verb, subject] = plan.id;
    const item = paths[plan.path] ?? { parameters: pathParameters(plan, kind) };
    paths[plan.path] = item;
    const responses: Record<string, Response> = {};
    for (const code of plan.codes ?? [200]) {
      responses[code] = { description: sentences[code] ?? "OK", schema: plan.answer };
    }
    responses["401"] = { description: "Unauthorized" };
    const operation: OpenApiOperation = {
      description: plan.description,
      operationId: verb + groupWord(vocabulary, kind.group, kind.version) + subject,
      tags: [groupTag(vocabulary, kind.group, kind.version)],
      consumes: consumed(kind, plan.consumes ?? ["*/*"]),
      produces: produced(kind, plan.produces ?? objectTypes),
      schemes: ["https"],
      ...(plan.deprecated === true ? { deprecated: true } : {}),
      ...(plan.parameters === undefined ? {} : { parameters: plan.parameters }),
      responses,
      [extension("action")]: plan.action,
      [extension("group-version-kind")]: plan.gvk ?? gvkOf(kind),
    };
    item[plan.method] = operation;
  }

  function addCollection(kind: BoundKind, verbs: ReadonlySet<Verb>): void {
    const { base, collection } = pathsOf(kind);
    const subject = (kind.namespaced ? "Namespaced" : "") + kind.kind;
    const object = definitions.referToKind(kind);
    if (verbs.has("list")) {
      const list = {
        method: "get" as const,
        action: "list",
        description: `list objects of kind ${kind.kind}`,
        parameters: parameters.list,
        produces: listTypes,
        answer: definitions.referToList(kind),
      };
      add(kind, { ...list, path: collection, id: ["list", subject] });
      if (kind.namespaced) {
        const everywhere = { ...list, path: `${base}/${kind.resource}` };
        add(kind, { ...everywhere, id: ["list", `${kind.kind}ForAllNamespaces`] });
      }
    }
    if (verbs.has("create")) {
      add(kind, {
        path: collection,
        method: "post",
        action: "post",
        id: ["create", subject],
        description: `create an object of kind ${kind.kind}`,
        parameters: [body(object, true), ...parameters.write],
        answer: object,
        codes: [200, 201, 202],
      });
    }
    if (verbs.has("deletecollection")) {
      add(kind, {
        path: collection,
        method: "delete",
        action: "deletecollection",
        id: ["delete", `Collection${subject}`],
        description: `delete all objects of kind ${kind.kind} that match`,
        parameters: [body(deleteOptions, false), ...parameters.deleteCollection],
        answer: status,
      });
    }
  }

  /** The operations at the path of one object, or of a subresource of it, by verb. */
  const ofObject = ({ object, deleted, options, produces }: Item): readonly ObjectOperation[] => [
    { verb: "get", method: "get", id: "read", parameters: options, answer: object, ...(produces && { produces }) },
    {
      verb: "update",
      method: "put",
      id: "replace",
      parameters: [body(object, true), ...parameters.write],
      answer: object,
      codes: [200, 201],
    },
    {
      verb: "patch",
      method: "patch",
      id: "patch",
      does: "change",
      parameters: [body(patch, true), ...parameters.patch],
      consumes: patchTypes,
      answer: object,
    },
    {
      verb: "create",
      method: "post",
      id: "create",
      parameters: [body(object, true), ...parameters.write],
      answer: object,
      codes: [200, 201, 202],
    },
    {
      verb: "delete",
      method: "delete",
      id: "delete",
      parameters: [body(deleteOptions, false), ...parameters.delete],
      answer: deleted,
      codes: [200, 202],
    },
  ];

  function addItem(kind: BoundKind, path: string, verbs: ReadonlySet<Verb>, item: Item): void {
    const { suffix, gvk } = item;
    const subject = `${kind.namespaced ? "Namespaced" : ""}${kind.kind}${suffix}`;
    const what = `${suffix === "" ? "an object" : `the ${suffix.toLowerCase()} of an object`} of kind ${kind.kind}`;
    for (const { verb, id, does = id, ...operation } of ofObject(item)) {
      if (!verbs.has(verb)) continue;
      const description = `${does} ${what}`;
      add(kind, { ...operation, path, action: operation.method, id: [id, subject], description, gvk });
    }
  }

  function addSubresource(kind: BoundKind, itemPath: string, subresource: BoundSubresource): void {
    const path = `${itemPath}/${subresource.name}`;
    const suffix = subresource.name[0]?.toUpperCase() + subresource.name.slice(1);
    if (
      subresource.action !== undefined &&
      subresource.accepts === undefined &&
      isConnect(catalog, kind, subresource)
    ) {
      addConnect(kind, path, suffix, subresource);
      if (subresource.name === "proxy") addConnect(kind, `${path}/{path}`, `${suffix}WithPath`, subresource);
      return;
    }
    const accepted = acceptedKind(catalog, kind, subresource);
    const verbs = new Set(subresource.verbs);
    const options = optionsOf(subresource);
    const isText = subresource.name === "log";
    const object: OpenApiSchema = isText ? { type: "string" } : definitions.referToKind(accepted);
    const produces = isText ? { produces: ["text/plain", ...objectTypes] } : {};
    addItem(kind, path, verbs, { suffix, object, deleted: status, gvk: gvkOf(accepted), options, ...produces });
  }

  function addConnect(kind: BoundKind, path: string, suffix: string, subresource: BoundSubresource): void {
    const subject = `${kind.namespaced ? "Namespaced" : ""}${kind.kind}${suffix}`;
    const gvk = { ...gvkOf(kind), kind: subresource.shownKind ?? kind.kind };
    for (const verb of subresource.verbs) {
      const method = connectMethods[verb];
      if (method === undefined) continue;
      add(kind, {
        path,
        method,
        action: "connect",
        id: ["connect", `${method[0]?.toUpperCase()}${method.slice(1)}${subject}`],
        description: `connect to the ${subresource.name} of an object of kind ${kind.kind}`,
        parameters: optionsOf(subresource),
        produces: ["*/*"],
        answer: { type: "string" },
        gvk,
      });
    }
  }

  /** Paths from before watch was a parameter; they are still served. */
  function addWatch(kind: BoundKind): void {
    const { base, collection, item } = pathsOf(kind);
    const old = (path: string) => `${base}/watch${path.slice(base.length)}`;
    const namespaced = kind.namespaced ? "Namespaced" : "";
    const watch = {
      method: "get" as const,
      description: `watch objects of kind ${kind.kind}; use the watch parameter of a list instead`,
      deprecated: true,
      produces: listTypes,
      answer: watchEvent,
      parameters: parameters.list,
    };
    add(kind, { ...watch, path: old(collection), action: "watchlist", id: ["watch", `${namespaced}${kind.kind}List`] });
    add(kind, { ...watch, path: old(item), action: "watch", id: ["watch", namespaced + kind.kind] });
    if (kind.namespaced) {
      const path = old(`${base}/${kind.resource}`);
      add(kind, { ...watch, path, action: "watchlist", id: ["watch", `${kind.kind}ListForAllNamespaces`] });
    }
  }

  return {
    take() {
      const taken = Object.entries(paths).map(([path, item]) => [path, shareParameters(item)] as const);
      paths = {};
      return Object.fromEntries(taken);
    },
    addKind(kind) {
      const verbs = new Set<Verb>(kind.declaration.verbs ?? allVerbs);
      const { item } = pathsOf(kind);
      addCollection(kind, verbs);
      const ofOne = new Set([...verbs].filter((verb) => verb !== "create"));
      const object = definitions.referToKind(kind);
      const { returnsDeleted, beginDeletion } = kind.strategy;
      // As in the reference, which documents a Status for namespaces, and returns them.
      const deleted = returnsDeleted && beginDeletion === undefined ? object : status;
      addItem(kind, item, ofOne, { suffix: "", object, deleted, gvk: gvkOf(kind), options: [] });
      if (verbs.has("watch") && conventionsOf(kind).showsWatchPaths) addWatch(kind);
      for (const subresource of kind.subresources.values()) addSubresource(kind, item, subresource);
    },
  };
}

const connectMethods: Readonly<Partial<Record<Verb, Method>>> = {
  get: "get",
  create: "post",
  update: "put",
  patch: "patch",
  delete: "delete",
};

function pathsOf(kind: BoundKind): { base: string; collection: string; item: string } {
  const base = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const collection = `${base}/${kind.namespaced ? "namespaces/{namespace}/" : ""}${kind.resource}`;
  return { base, collection, item: `${collection}/{name}` };
}

function pathParameters({ path, action }: Plan, kind: BoundKind): readonly Parameter[] {
  return [
    ...(path.includes("{name}") ? [nameInPath(kind.kind)] : []),
    ...(path.includes("{namespace}") ? [namespaceInPath] : []),
    ...(path.endsWith("{path}") ? [restOfPath] : []),
    ...(action === "connect" ? [] : [pretty]),
  ];
}

/** A subresource whose kind is only the options of a connection, not a real kind of its group version. */
function isConnect(catalog: Catalog, kind: BoundKind, { shownKind }: BoundSubresource): boolean {
  return shownKind !== undefined && catalog.byKind(kind.group, kind.version, shownKind) === undefined;
}

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
