/** How the lists of a kind are merged: by the declarations of built-in kinds, or by the OpenAPI document of a kustomization. */

import { existsIn } from "../../base/release.ts";
import type { Schema } from "../../machinery/schema/schema.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import type { ProgramEnvironment } from "../environment.ts";
import { type Gvk, gvkOf } from "./identity.ts";

export interface MergeSchema {
  /** The schema of a member; undefined: it is unknown. */
  field(name: string): MergeSchema | undefined;
  /** The schema of the items of a list. */
  items(): MergeSchema | undefined;
  /** The members that identify an item; []: a set of scalars. Undefined: a patch replaces the list. */
  readonly mergeKeys: readonly string[] | undefined;
}

/** Undefined: nothing is known of the kind, and a patch replaces its lists. */
export type SchemaOf = (gvk: Gvk) => MergeSchema | undefined;

/** The release whose schemas kustomize 5 has built in. A later field is unknown to it, so that its list is replaced. */
const builtInRelease = "1.21";

const builtInVersions: ReadonlySet<string> = new Set(
  `v1 apps/v1 batch/v1 batch/v1beta1 autoscaling/v1 autoscaling/v2beta1 autoscaling/v2beta2 extensions/v1beta1 policy/v1 policy/v1beta1
  flowcontrol.apiserver.k8s.io/v1beta1 ${[
    "admissionregistration apiextensions apiregistration authentication authorization certificates coordination discovery",
    "events networking node rbac.authorization scheduling storage",
  ]
    .join(" ")
    .split(" ")
    .map((group) => `${group}.k8s.io/v1 ${group}.k8s.io/v1beta1`)
    .join(" ")}`.split(/\s+/),
);

/** Kinds have the same merge keys in all their versions, and in both vocabularies. */
export async function declaredSchemas({ loadKinds }: Pick<ProgramEnvironment, "loadKinds">): Promise<SchemaOf> {
  const schemas = new Map<string, MergeSchema>();
  for (const { group, kind, schema, ...span } of (await loadKinds?.()) ?? [])
    if (existsIn(builtInRelease, span)) schemas.set(`${kubernetes.group(group)}/${kind}`, new DeclaredSchema(schema));
  return ({ group, version, kind }) =>
    builtInVersions.has(group === "" ? version : `${group}/${version}`) ? schemas.get(`${group}/${kind}`) : undefined;
}

class DeclaredSchema implements MergeSchema {
  readonly #schema: Schema;
  readonly mergeKeys: readonly string[] | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
    if (schema.type !== "list") return;
    const isMerged = (schema.patchStrategy ?? "").split(",").includes("merge");
    const single = schema.patchMergeKey === undefined ? [] : [schema.patchMergeKey];
    this.mergeKeys = isMerged ? (schema.keys ?? single) : undefined;
  }

  field(name: string): MergeSchema | undefined {
    if (this.#schema.type === "map") return new DeclaredSchema(this.#schema.values);
    if (this.#schema.type !== "struct") return undefined;
    const field = this.#schema.fields.get(name);
    return field === undefined || !existsIn(builtInRelease, field.span) ? undefined : new DeclaredSchema(field.schema);
  }

  items(): MergeSchema | undefined {
    return this.#schema.type === "list" ? new DeclaredSchema(this.#schema.items) : undefined;
  }
}

type Definitions = Readonly<Record<string, unknown>>;

/** The kinds of an OpenAPI document, version 2: the `openapi` of a kustomization has no others. */
export function publishedSchemas(document: unknown): SchemaOf {
  const definitions = membersOf(membersOf(document)["definitions"]);
  const schemas = new Map<string, MergeSchema>();
  for (const definition of Object.values(definitions)) {
    const kinds = membersOf(definition)["x-kubernetes-group-version-kind"];
    for (const one of (Array.isArray(kinds) ? kinds : []).map(membersOf)) {
      const gvk = {
        group: String(one["group"] ?? ""),
        version: String(one["version"] ?? ""),
        kind: String(one["kind"] ?? ""),
      };
      schemas.set(keyOfKind(gvk), new PublishedSchema(membersOf(definition), definitions));
    }
  }
  return (gvk) => schemas.get(keyOfKind(gvk));
}

const keyOfKind = ({ group, version, kind }: Gvk): string => {
  const known = gvkOf(group === "" ? version : `${group}/${version}`, kind);
  return [known.group, known.version, known.kind].join("/");
};

class PublishedSchema implements MergeSchema {
  readonly #schema: Definitions;
  readonly #definitions: Definitions;
  readonly mergeKeys: readonly string[] | undefined;

  constructor(schema: Definitions, definitions: Definitions) {
    this.#schema = schema;
    this.#definitions = definitions;
    const strategy = schema["x-kubernetes-patch-strategy"];
    if (typeof strategy !== "string" || !strategy.split(",").includes("merge")) return;
    const keys = schema["x-kubernetes-list-map-keys"];
    const key = schema["x-kubernetes-patch-merge-key"];
    this.mergeKeys = Array.isArray(keys) ? keys.map(String) : typeof key === "string" ? [key] : [];
  }

  field(name: string): MergeSchema | undefined {
    const properties = membersOf(this.#schema["properties"]);
    return this.#resolve(Object.hasOwn(properties, name) ? properties[name] : this.#schema["additionalProperties"]);
  }

  items(): MergeSchema | undefined {
    return this.#resolve(this.#schema["items"]);
  }

  /** A reference replaces what is beside it, in OpenAPI's version 2. */
  #resolve(schema: unknown): MergeSchema | undefined {
    if (typeof schema !== "object" || schema === null) return undefined;
    const reference = membersOf(schema)["$ref"];
    if (typeof reference !== "string") return new PublishedSchema(membersOf(schema), this.#definitions);
    const name = reference.replace(/^#\/definitions\//, "");
    const found = Object.hasOwn(this.#definitions, name) ? this.#definitions[name] : undefined;
    return found === undefined ? undefined : new PublishedSchema(membersOf(found), this.#definitions);
  }
}

const membersOf = (value: unknown): Definitions =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Definitions) : {};
