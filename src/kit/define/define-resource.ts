/** `defineResource()`: one declaration gives the type of a custom resource, its definition, and the names that a client needs. */

import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { ClusterWide, KindTraits, Namespaced, ServedKind } from "../../client/contract.ts";
import type { Fields, Plain } from "../../machinery/schema/build.ts";
import type { ApiObject, Scope } from "../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../machinery/schema/object-meta.ts";
import { checkNames } from "./check-names.ts";
import { converterOf } from "./conversions.ts";
import { definitionOf } from "./definition.ts";
import type { DefinedRule, Property } from "./definition-schema.ts";
import type { ReadFields, WrittenFields } from "./fields.ts";

/**
 * Where the numbers of replicas are, and the selector of what is counted.
 * @example
 * const scale: ScalePaths = { spec: ".spec.replicas", status: ".status.replicas" };
 */
export interface ScalePaths {
  readonly spec: string;
  readonly status: string;
  readonly selector?: string;
}

/**
 * What a version of a resource looks like.
 * @example
 * const shape: VersionShape<typeof fields> = { fields, columns: [{ name: "Size", type: "integer", path: ".spec.size" }] };
 */
export interface VersionShape<F extends Fields> {
  /** One sentence that describes the kind. */
  readonly doc?: string;
  /** All members but apiVersion, kind and metadata. A member `status` is written through its own path. */
  readonly fields: F;
  /** Besides the name and the age. */
  readonly columns?: readonly DefinedColumn[];
  /** Makes `scale` work: where the number of replicas is, ".spec.replicas". */
  readonly scale?: ScalePaths | undefined;
  /** Members by which lists and watches can be selected with `fieldSelector`, on servers of v1.30 and later: [".spec.color"]. */
  readonly selectable?: readonly string[];
  /** Expressions that values must meet, on servers of v1.25 and later; a server of v1.21 refuses a definition with them. */
  readonly rules?: readonly DefinedRule[];
  /**
   * JSON schema that the language of fields has no word for, by path: `{ "spec.code": { pattern: "^[A-Z]+$" } }`. Extensions have the
   * prefix "x-"; undefined takes a keyword away.
   */
  readonly keywords?: Readonly<Record<string, Property>>;
  /** Default: true. */
  readonly served?: boolean;
  /** Whether clients that use the version are warned, or the words for it. Default: false. */
  readonly deprecated?: boolean | string;
}

/**
 * A custom resource in the language of the built-in kinds.
 * @example
 * const declared: ResourceDeclaration<typeof fields, {}> = { group: "example.com", version: "v1", kind: "Widget", resource: "widgets", fields };
 */
export interface ResourceDeclaration<
  F extends Fields,
  V extends Record<string, Fields>,
  S extends Scope = Scope,
  R extends ScalePaths | undefined = ScalePaths | undefined,
> extends Omit<VersionShape<F>, "scale"> {
  /** A domain of yours: "example.com". */
  readonly group: string;
  /** The version that the program works with, and through which others are converted. */
  readonly version: string;
  readonly kind: string;
  /** The name in paths: "widgets". */
  readonly resource: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default: "Namespaced". */
  readonly scope?: S;
  /** Makes `scale` work: where the number of replicas is, ".spec.replicas". */
  readonly scale?: R;
  /** Further versions, by name. */
  readonly versions?: { readonly [N in keyof V]: FurtherVersion<V[N], F> };
  /** The version in which objects are stored. Default: `version`. */
  readonly storage?: string;
}

/**
 * A version beside the one that the program works with.
 * @example
 * const v1: FurtherVersion<typeof old, typeof fields> = { fields: old, toHub, fromHub };
 */
export interface FurtherVersion<G extends Fields, F extends Fields> extends VersionShape<G> {
  /** The object in `version` of the resource. Absent: the members are the same. */
  toHub?(object: DefinedObject<G>): Converted<F>;
  /** The object in this version. Absent: the members are the same. */
  fromHub?(object: DefinedObject<F>): Converted<G>;
}

/**
 * All members but apiVersion and kind. Metadata stays if it is absent; otherwise its labels and annotations replace those of the object.
 * @example
 * const toHub = ({ spec }: Old): Converted<typeof fields> => ({ spec: { hours: Number(spec.time) } });
 */
export type Converted<F extends Fields> = WrittenFields<F> & {
  metadata?: Pick<ObjectMeta, "labels" | "annotations">;
};

/**
 * A column of tables.
 * @example
 * const column: DefinedColumn = { name: "Size", type: "integer", path: ".spec.size" };
 */
export interface DefinedColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** ".spec.size". */
  readonly path: string;
  readonly doc?: string;
  /** Above 0: only in wide output. */
  readonly priority?: number;
}

/**
 * A kind of your own: `client.of(Widget)`, `type Widget = Static<typeof Widget>`.
 * @example
 * const definition = Widget.definition("kubernetes");
 */
export interface DefinedResource<T, V = unknown, K extends KindTraits = KindTraits> extends ServedKind<T, K> {
  /** The further versions: `client.of(Widget.versions.v1)`. */
  readonly versions: V;
  /**
   * The object that makes a server serve it, in the names of a vocabulary. A resource whose versions differ needs to know where
   * the server reaches the webhook that converts them.
   */
  definition(vocabulary: "orch" | "kubernetes", options?: DefinitionOptions): CustomResourceDefinition;
  /** The object in another version: what `serveWebhook({ convert })` answers. Throws if the object or version is not of the resource. */
  convert(object: ApiObject, apiVersion: string): ApiObject;
}

/**
 * What a definition says beside the declaration.
 * @example
 * const definition = Clock.definition("orch", { conversion: { url: "https://127.0.0.1:9443/convert", authority } });
 */
export interface DefinitionOptions {
  readonly conversion?: ConversionWebhook | undefined;
}

/**
 * Where a server reaches the webhook: a URL, or a service of the cluster.
 * @example
 * const conversion: ConversionWebhook = { service: { namespace: "ops", name: "clocks", port: 9443 }, authority };
 */
export interface ConversionWebhook {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    /** Default: "/convert". */
    readonly path?: string;
    readonly port?: number;
  };
  /** The certificate authority of the webhook, in PEM. Absent: that of the system. */
  readonly authority?: string;
}

/**
 * The versions of a declaration as kinds.
 * @example
 * await client.of(Clock.versions.v1).get("wall");
 */
export type VersionKinds<V extends Record<string, Fields>, S extends Scope = Scope> = Plain<{
  readonly [N in keyof V]: ServedKind<
    DefinedObject<V[N]>,
    DefinedTraits<S, PathsOf<V[N], ScalePaths | undefined>, V[N]>
  >;
}>;

/**
 * A member `status` has a path, and so has the number of replicas.
 * @example
 * type Paths = PathsOf<typeof fields, undefined>; // "status" if there is such a member
 */
export type PathsOf<F extends Fields, R> =
  | (F extends { readonly status: unknown } ? "status" : never)
  | (R extends ScalePaths ? "scale" : never);

/**
 * What the type checker knows of a declared kind.
 * @example
 * type Traits = DefinedTraits<"Cluster", "status", typeof fields>;
 */
export type DefinedTraits<S extends Scope, P extends string, F extends Fields> = S extends "Cluster"
  ? ClusterWide<P, ObjectsApart<F>>
  : Namespaced<P, ObjectsApart<F>>;

/** Never: what is sent is the same as what is read. */
type ObjectsApart<F extends Fields> = WrittenObject<F> extends DefinedObject<F> ? never : WrittenObject<F>;

/**
 * The type of the objects of a declaration, as plain members.
 * @example
 * type Widget = DefinedObject<typeof fields>;
 */
export type DefinedObject<F extends Fields> = Plain<
  { apiVersion?: string; kind?: string; metadata: ObjectMeta } & ReadFields<F>
>;

/**
 * What a program sends to create or replace an object: members that have a default may be absent.
 * @example
 * const sent: WrittenObject<typeof fields> = { metadata: { name: "one" }, spec: {} };
 */
export type WrittenObject<F extends Fields> = Plain<
  { apiVersion?: string; kind?: string; metadata: ObjectMeta } & WrittenFields<F>
>;

/** A declaration whose fields are not known to the type checker. */
export type AnyDeclaration = Omit<ResourceDeclaration<Fields, never>, "versions"> & {
  readonly versions?: Readonly<Record<string, AnyVersion>>;
};

export interface AnyVersion extends VersionShape<Fields> {
  toHub?(object: never): Converted<Fields>;
  fromHub?(object: never): Converted<Fields>;
}

/**
 * Declares a custom resource: its type, its definition, and the names that a client needs. Throws if no server would take it.
 * @example
 * export const Widget = defineResource({
 *   group: "example.com",
 *   version: "v1",
 *   kind: "Widget",
 *   resource: "widgets",
 *   fields: { spec: field.object({ size: field.int32().atLeast(1) }) },
 * });
 * export type Widget = Static<typeof Widget>;
 */
export function defineResource<
  const F extends Fields,
  const V extends Record<string, Fields> = {},
  const S extends Scope = "Namespaced",
  const R extends ScalePaths | undefined = undefined,
>(
  declared: ResourceDeclaration<F, V, S, R>,
): DefinedResource<DefinedObject<F>, VersionKinds<V, S>, DefinedTraits<S, PathsOf<F, R>, F>> {
  // The rest of the code knows fields by what they are at run time.
  const plain = declared as unknown as AnyDeclaration;
  checkNames(plain);
  const { group, version, kind, resource, scope = "Namespaced", versions = {} } = plain;
  const names = { group, kind, resource, scope };
  const furtherKinds = Object.keys(versions).map((name) => [name, { ...names, version: name }]);
  // Says at once what a definition cannot express.
  definitionOf(plain, "orch", { conversion: { url: "https://not-called" } });
  const defined: DefinedResource<unknown> = {
    ...names,
    version,
    versions: Object.fromEntries(furtherKinds), // a kind is its names
    definition: (vocabulary, options) => definitionOf(plain, vocabulary, options),
    convert: converterOf(plain),
  };
  return defined as unknown as DefinedResource<
    DefinedObject<F>,
    VersionKinds<V, S>,
    DefinedTraits<S, PathsOf<F, R>, F>
  >;
}
