/** The paths of the API: the operations of each path and their kinds, in OpenAPI v2. */

import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { DeleteOptionsStruct, StatusStruct, WatchEventStruct } from "../codec/meta-types.ts";
import { patchMediaTypes } from "../patch/media-types.ts";
import { type BoundKind, type BoundSubresource, type Catalog, isCustom } from "../schema/catalog.ts";
import { allVerbs, type Verb } from "../schema/kind.ts";
import type { Field, StructSchema } from "../schema/schema.ts";
import { type Definitions, gvkOf } from "./definitions.ts";
import type { JsonSchema, Method, Operation, Parameter, PathItem, Response } from "./document.ts";
import {
  body,
  deleteParameters,
  listParameters,
  nameInPath,
  namespaceInPath,
  patchParameters,
  pretty,
  restOfPath,
  writeParameters,
} from "./parameters.ts";

/** Adds operations to paths. One is made for one document. */
export interface PathWriter {
  addKind(kind: BoundKind): void;
  /** Removes and returns all that were added so far. */
  take(): Record<string, PathItem>;
  readonly paths: Record<string, PathItem>;
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
  readonly answer: JsonSchema;
  readonly codes?: readonly number[];
  readonly deprecated?: boolean;
  /** Set if it is not the kind of the path. */
  readonly gvk?: ReturnType<typeof gvkOf>;
}

const sentences: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

export function createPathWriter(catalog: Catalog, definitions: Definitions): PathWriter {
  const { vocabulary } = catalog.environment;
  let paths: Record<string, PathItem> = {};
  const extension = (name: string) => `x-${vocabulary.extensionPrefix.slice(2)}${name}` as const;
  const objectTypes = ["application/json", "application/yaml", vocabulary.protobufMediaType];
  const listTypes = [...objectTypes, "application/json;stream=watch", `${vocabulary.protobufMediaType};stream=watch`];
  const names = groupVersions(catalog);
  // All three are made by struct().
  const whole = (field: Field, kind: string, everywhere: boolean) =>
    definitions.referToWhole(
      field.schema as StructSchema,
      (everywhere ? names : [{ group: "", version: "v1" }]).map((gv) => ({ ...gv, kind })),
    );
  const status = whole(StatusStruct, "Status", false);
  const deleteOptions = whole(DeleteOptionsStruct, "DeleteOptions", true);
  const watchEvent = whole(WatchEventStruct, "WatchEvent", true);
  const patch = definitions.referToLeaf("apimachinery.pkg.apis.meta.v1.Patch");

  const typesFor = (kind: BoundKind, types: readonly string[]) =>
    isCustom(kind) ? types.filter((type) => !type.startsWith(vocabulary.protobufMediaType)) : types;

  function add(kind: BoundKind, plan: Plan): void {
    const [verb, subject] = plan.id;
    const item = paths[plan.path] ?? { parameters: pathParameters(plan.path, kind) };
    paths[plan.path] = item;
    const responses: Record<string, Response> = {};
    for (const code of plan.codes ?? [200]) {
      responses[code] = { description: sentences[code] ?? "OK", schema: plan.answer };
    }
    responses["401"] = { description: "Unauthorized" };
    const operation: Operation = {
      description: plan.description,
      operationId: verb + groupVersionWord(vocabulary, kind) + subject,
      tags: [groupVersionTag(vocabulary, kind)],
      consumes: isCustom(kind)
        ? (plan.consumes?.filter((type) => type !== patchMediaTypes.strategic) ?? ["*/*"])
        : (plan.consumes ?? ["*/*"]),
      produces: typesFor(kind, plan.produces ?? objectTypes),
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
        parameters: listParameters,
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
        parameters: [body(object, true), ...writeParameters],
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
        parameters: [body(deleteOptions, false), ...deleteParameters, ...listParameters.filter(isSelecting)],
        answer: status,
      });
    }
  }

  /** Verbs at the path of one object, or of a subresource of it. */
  function addItem(
    kind: BoundKind,
    path: string,
    verbs: ReadonlySet<Verb>,
    suffix: string,
    object: JsonSchema,
    gvk = gvkOf(kind),
  ): void {
    const subject = `${kind.namespaced ? "Namespaced" : ""}${kind.kind}${suffix}`;
    const what = `${suffix === "" ? "an object" : `the ${suffix.toLowerCase()} of an object`} of kind ${kind.kind}`;
    if (verbs.has("get")) {
      add(kind, {
        path,
        method: "get",
        action: "get",
        id: ["read", subject],
        description: `read ${what}`,
        answer: object,
        gvk,
      });
    }
    if (verbs.has("update")) {
      const parameters = [body(object, true), ...writeParameters];
      const description = `replace ${what}`;
      add(kind, {
        path,
        method: "put",
        action: "put",
        id: ["replace", subject],
        description,
        parameters,
        answer: object,
        codes: [200, 201],
        gvk,
      });
    }
    if (verbs.has("patch")) {
      const parameters = [body(patch, true), ...patchParameters];
      const description = `change ${what}`;
      add(kind, {
        path,
        method: "patch",
        action: "patch",
        id: ["patch", subject],
        description,
        parameters,
        consumes: patchTypes,
        answer: object,
        gvk,
      });
    }
    if (verbs.has("create")) {
      const parameters = [body(object, true), ...writeParameters];
      const description = `create ${what}`;
      add(kind, {
        path,
        method: "post",
        action: "post",
        id: ["create", subject],
        description,
        parameters,
        answer: object,
        codes: [200, 201, 202],
        gvk,
      });
    }
    if (verbs.has("delete")) {
      const parameters = [body(deleteOptions, false), ...deleteParameters];
      const description = `delete ${what}`;
      add(kind, {
        path,
        method: "delete",
        action: "delete",
        id: ["delete", subject],
        description,
        parameters,
        answer: status,
        codes: [200, 202],
        gvk,
      });
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
    const isText = subresource.name === "log";
    const object: JsonSchema = isText ? { type: "string" } : definitions.referToKind(accepted);
    addItem(kind, path, verbs, suffix, object, gvkOf(accepted));
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
      parameters: listParameters,
    };
    add(kind, { ...watch, path: old(collection), action: "watchlist", id: ["watch", `${namespaced}${kind.kind}List`] });
    add(kind, { ...watch, path: old(item), action: "watch", id: ["watch", namespaced + kind.kind] });
    if (kind.namespaced) {
      const path = old(`${base}/${kind.resource}`);
      add(kind, { ...watch, path, action: "watchlist", id: ["watch", `${kind.kind}ListForAllNamespaces`] });
    }
  }

  return {
    get paths() {
      return paths;
    },
    take() {
      const taken = paths;
      paths = {};
      return taken;
    },
    addKind(kind) {
      const verbs = new Set<Verb>(kind.declaration.verbs ?? allVerbs);
      const { item } = pathsOf(kind);
      addCollection(kind, verbs);
      const ofOne = new Set([...verbs].filter((verb) => verb !== "create"));
      addItem(kind, item, ofOne, "", definitions.referToKind(kind));
      if (verbs.has("watch") && !isCustom(kind)) addWatch(kind);
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

const selecting = new Set(["continue", "fieldSelector", "labelSelector", "limit", "resourceVersion", "timeoutSeconds"]);
const isSelecting = ({ name }: Parameter) => selecting.has(name);

function pathsOf(kind: BoundKind): { base: string; collection: string; item: string } {
  const base = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const collection = `${base}/${kind.namespaced ? "namespaces/{namespace}/" : ""}${kind.resource}`;
  return { base, collection, item: `${collection}/{name}` };
}

function pathParameters(path: string, kind: BoundKind): readonly Parameter[] {
  return [
    ...(path.includes("{name}") ? [nameInPath(kind.kind)] : []),
    ...(path.includes("{namespace}") ? [namespaceInPath] : []),
    ...(path.endsWith("{path}") ? [restOfPath] : []),
    pretty,
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
    .filter(({ group, version }) => catalog.ofGroupVersion(group, version).some((kind) => !isCustom(kind)));
}

/** The parts of a group's name without the product's own domain: "rbac", "authorization". */
function groupParts(vocabulary: Vocabulary, group: string): string[] {
  if (group === "") return ["core"];
  const domain = vocabulary.group("x.orch.io").slice(1);
  return (group.endsWith(domain) ? group.slice(0, -domain.length) : group).split(/[.-]/);
}

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

/** "RbacAuthorizationV1". */
function groupVersionWord(vocabulary: Vocabulary, { group, version }: BoundKind): string {
  return [...groupParts(vocabulary, group), version].map(capital).join("");
}

/** "rbacAuthorization_v1". */
function groupVersionTag(vocabulary: Vocabulary, { group, version }: BoundKind): string {
  const [first = "", ...rest] = groupParts(vocabulary, group);
  return `${first}${rest.map(capital).join("")}_${version}`;
}
