/** `defineResource()`: one declaration gives the type of a custom resource, its definition, and the names that a client needs. */

import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { ServedKind } from "../../client/contract.ts";
import type { Fields, StaticFields } from "../../machinery/schema/build.ts";
import type { ApiObject, Scope, StaticObject } from "../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../machinery/schema/object-meta.ts";
import { checkNames } from "./check-names.ts";
import { converterOf } from "./conversions.ts";
import { definitionOf } from "./definition.ts";
import type { DefinedRule, Property } from "./definition-schema.ts";

/** What a version of a resource looks like. */
export interface VersionShape<F extends Fields> {
  /** One sentence that describes the kind. */
  readonly doc?: string;
  /** All members but apiVersion, kind and metadata. A member `status` is written through its own path. */
  readonly fields: F;
  /** Besides the name and the age. */
  readonly columns?: readonly DefinedColumn[];
  /** Makes `scale` work: where the number of replicas is, ".spec.replicas". */
  readonly scale?: { readonly spec: string; readonly status: string; readonly selector?: string };
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

export interface ResourceDeclaration<F extends Fields, V extends Record<string, Fields>> extends VersionShape<F> {
  /** A domain of yours: "example.com". */
  readonly group: string;
  /** The version that the program works with, and through which others are converted. */
  readonly version: string;
  readonly kind: string;
  /** The name in paths: "widgets". */
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default: "Namespaced". */
  readonly scope?: Scope;
  /** Further versions, by name. */
  readonly versions?: { readonly [N in keyof V]: FurtherVersion<V[N], F> };
  /** The version in which objects are stored. Default: `version`. */
  readonly storage?: string;
}

export interface FurtherVersion<G extends Fields, F extends Fields> extends VersionShape<G> {
  /** The object in `version` of the resource. Absent: the members are the same. */
  toHub?(object: StaticObject<G>): Converted<F>;
  /** The object in this version. Absent: the members are the same. */
  fromHub?(object: StaticObject<F>): Converted<G>;
}

/** All members but apiVersion and kind. Metadata stays if it is absent; otherwise its labels and annotations replace those of the object. */
export type Converted<F extends Fields> = StaticFields<F> & {
  metadata?: Pick<ObjectMeta, "labels" | "annotations">;
};

export interface DefinedColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** ".spec.size". */
  readonly path: string;
  readonly doc?: string;
  /** Above 0: only in wide output. */
  readonly priority?: number;
}

/** A kind of your own: `client.of(Widget)`, `type Widget = Static<typeof Widget>`. */
export interface DefinedResource<T, V = unknown> extends ServedKind<T> {
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

export interface DefinitionOptions {
  readonly conversion?: ConversionWebhook | undefined;
}

/** Where a server reaches the webhook: a URL, or a service of the cluster. */
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

/** The versions of a declaration as kinds. */
export type VersionKinds<V extends Record<string, Fields>> = {
  readonly [N in keyof V]: ServedKind<StaticObject<V[N]>>;
};

/** A declaration whose fields are not known to the type checker. */
export type AnyDeclaration = Omit<ResourceDeclaration<Fields, never>, "versions"> & {
  readonly versions?: Readonly<Record<string, AnyVersion>>;
};

export interface AnyVersion extends VersionShape<Fields> {
  toHub?(object: never): Converted<Fields>;
  fromHub?(object: never): Converted<Fields>;
}

export function defineResource<const F extends Fields, const V extends Record<string, Fields> = {}>(
  declared: ResourceDeclaration<F, V>,
): DefinedResource<StaticObject<F>, VersionKinds<V>> {
  const { group, version, kind, plural, scope = "Namespaced", versions } = declared;
  const names = { group, kind, resource: plural, scope };
  const furtherKinds = Object.keys(versions ?? {}).map((name) => [name, { ...names, version: name }]);
  const resource: DefinedResource<StaticObject<F>, VersionKinds<V>> = {
    ...names,
    version,
    versions: Object.fromEntries(furtherKinds) as VersionKinds<V>, // a kind is its names
    definition: (vocabulary, options) => definitionOf(declared, vocabulary, options),
    convert: converterOf(declared),
  };
  checkNames(declared);
  // Says at once what a definition cannot express.
  definitionOf(declared, "orch", { conversion: { url: "https://not-called" } });
  return resource;
}
