/** The declaration of a kind: one value from which everything the server does with the kind is derived. */

import type { Changes, Release, Span } from "../../base/release.ts";
import type { Steps } from "../../base/time-slice.ts";
import type { NeutralGroup, SpokenGroup } from "../../vocabulary/vocabulary.ts";
import type { JsonSchema } from "../json/json-schema.ts";
import type { FieldErrors } from "../status/field-error.ts";
import { elided, type Fields, type StaticFields, struct } from "./build.ts";
import type { BoundKind, Family } from "./catalog.ts";
import type { Codec } from "./codec.ts";
import type { Relation } from "./constraints.ts";
import type { Conversion } from "./convert.ts";
import type { Environment } from "./environment.ts";
import type { Feature } from "./features.ts";
import type { GateWithEffect } from "./gates.ts";
import type { Origin } from "./identity.ts";
import { createRules, type KindRules } from "./kind-rules.ts";
import { type ObjectMeta, ObjectMetaStruct } from "./object-meta.ts";
import { type RetypedOptions, retypes } from "./retyped.ts";
import type { StructSchema } from "./schema.ts";
import type { Shared } from "./shared-object.ts";
import { type Compat, type Strategy, splitStrategy } from "./strategy.ts";

/**
 * Whether objects of a kind are in namespaces.
 * @example
 * const scope: Scope = "Cluster";
 */
export type Scope = "Namespaced" | "Cluster";

export const allVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"] as const;
export type Verb = (typeof allVerbs)[number];

/**
 * Any object, for code that does not know its kind.
 * @example
 * const object: ApiObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { n: "1" } };
 */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

export type StaticObject<F extends Fields> = {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
} & StaticFields<F>;

/** One column of a Table. `format` "name" marks the name; priority above 0 is shown only by wide output. */
export interface Column<T = ApiObject> extends Span {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  readonly priority?: number;
  readonly description?: string;
  /** The contents of a cell; undefined and null are printed as empty. */
  cell(object: T, environment: Environment): unknown;
}

/** Makes a column of the kind being declared: `column("Holder", (lease) => lease.spec?.holderIdentity)`. */
type ColumnBuilder<T> = (
  name: string,
  cell: (object: T, environment: Environment) => unknown,
  more?: Partial<Pick<Column, "type" | "format" | "priority" | "description" | "since" | "until">>,
) => Column<T>;

/** What a Table says about a whole row, for example that the object has completed. */
export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Declares that a version will be removed: in which release, and what to use instead. */
export interface Deprecation {
  /** The release that deprecated it ("1.21"). */
  readonly since?: Release;
  /** The release that no longer serves it ("1.25"); absent: not planned. */
  readonly removed?: Release;
  /** "batch/v1 CronJob", in orch's names; absent: nothing replaces it. */
  readonly replacement?: string;
  /** The whole warning of a custom kind. Absent: made from the other members. */
  readonly sentence?: string;
}

export interface GroupVersionKind<Group = string> {
  readonly group: Group;
  readonly version: string;
  readonly kind: string;
}

/** A path under an object. Everything it does is declared here, or done by the action of its name in `actions/`. */
export interface Subresource<T = ApiObject, Group = NeutralGroup> extends Span {
  /** "status", "scale", "eviction". */
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** The feature gate without which the path does not exist; absent: it always does. */
  readonly behind?: GateWithEffect;
  /** What clients send and receive, if it is not the parent's own kind. */
  readonly accepts?: GroupVersionKind<Group>;
  /** The field of the parent that the replicas of an accepted Scale stand for. */
  readonly replicas?: readonly string[];
  /** The feature without which a write takes what it shows from all owners, and owns nothing itself; absent: it always owns. */
  readonly ownsWith?: Feature;
  /** Shown by discovery in place of `accepts.kind` (connect subresources name their options). */
  readonly shownKind?: string;
  /** The parent as clients see it through this path; absent: the parent itself. */
  view?(parent: T, environment: Environment): unknown;
  /**
   * The next state of the parent after `written` (of the accepted kind) was put here. Must not change its arguments.
   * Absent: `written` replaces what `scope` names.
   */
  merge?(written: unknown, parent: T, environment: Environment): object;
  /**
   * Fields that a write through this path does not change, and so does not own: "metadata.labels". A status path
   * never changes members other than metadata and status. "none": a writer owns all that it sends, even so.
   */
  readonly resets?: readonly string[] | "none";
  /**
   * Whether a caller owns all fields that it sent but `resets`, even those that the path does not write: v1.21 does so for the
   * status of custom objects, later releases where the path changes what was sent. Default: false.
   */
  readonly ownsGiven?: boolean;
  /** The next parent with the fields that the caller then owns, if it is not `next` itself. Must not change its argument. */
  owned?(next: T, environment: Environment): object;
  /** Why the path cannot show this object; undefined: it can. Writes through the path are not refused. */
  refuseRead?(parent: T, environment: Environment): Error | undefined;
  /** Checks what a client sent, in the accepted kind and before defaults are filled in; reported for that kind. */
  validateWritten?(written: ApiObject, environment: Environment): FieldErrors;
  /** Checks a write through this path, in place of the kind's own validateUpdate. */
  validate?(next: T, old: T, environment: Environment): FieldErrors;
  /** Validates in steps, in place of `validate`, where the checks may take long. */
  validateInSteps?(next: T, old: T, environment: Environment): Steps<FieldErrors>;
  /** Sentences for the Warning header about a valid write through this path. */
  warnings?(next: T, environment: Environment): readonly string[];
  /**
   * The name of an action that `actions/` provides ("pods/eviction"): a create that does something, a connect.
   * Absent: the path reads and writes the parent.
   */
  readonly action?: string;
  /**
   * Present: the path connects to a process behind the object. The options that clients pass in the query, by name, as
   * admission sees them: text, flag (true or absent), several texts, several numbers.
   */
  readonly connects?: Readonly<Record<string, "text" | "flag" | "texts" | "numbers">>;
  /** With this gate a connection needs the right to create, whatever its method: a WebSocket begins with GET. Absent: never. */
  readonly createGate?: GateWithEffect;
  /** The options of a path that does not connect, which clients pass in the query as well: for OpenAPI. */
  readonly query?: Readonly<Record<string, "text" | "flag" | "number">>;
}

/** Everything about a version of a kind except its fields. `until` is the release that removes a deprecated one, unless it is given. */
interface KindInfo<T, Group = NeutralGroup> extends Span {
  /** "coordination.orch.io", "" for core. */
  readonly group: Group;
  readonly version: string;
  readonly kind: string;
  /** Default: kind + "List". */
  readonly listKind?: string;
  /** The plural name of paths: "leases". */
  readonly resource: string;
  /** For command lines. Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: Scope;
  /** Default: all. A kind that only supports create and stores nothing declares an `action`. */
  readonly verbs?: readonly Verb[];
  /** Whether clients can reach the version; otherwise it is only known to the store. Default: true. */
  readonly isServed?: boolean;
  /** The schema of a custom kind, as it is published; undefined: it has none. */
  openApi?(): JsonSchema | undefined;
  /** One sentence that describes the kind. */
  readonly doc: string;
  /** The feature gate without which the kind does not exist; absent: it always does. */
  readonly behind?: GateWithEffect;
  /** Virtual kinds (reviews): the name of the action in `actions/` that answers a create. Nothing is stored. */
  readonly action?: string;
  readonly deprecated?: Deprecation;
  /** Other versions of the kind, of the same shape, whose bodies are read as bodies of this one. Default: none. */
  readonly alsoReads?: readonly string[];
  /**
   * Members, at any depth and in orch's names, that are dropped with a warning before the release they came with: an object
   * means something else without them. Default: none; a level drops what it does not have without a word, as its release did.
   */
  readonly missedBefore?: Readonly<Record<string, Release>>;
  /**
   * What field selectors of this version call the hub's selectable fields ("regarding.name" -> "involvedObject.name");
   * if given, these are the only ones besides metadata.name and metadata.namespace. Absent: the hub's own names.
   */
  readonly selectableAs?: Readonly<Record<string, string>>;
  /**
   * Fills in what a client omitted, before conversion; struct defaults and field defaults follow it. Members that the object has of `old`,
   * the state before, have their defaults.
   */
  defaults?(object: T, environment: Environment, old?: T): void;
  /** Default: Name and Created At. */
  readonly columns?: readonly Column<T>[];
  /** Default: none. */
  rowConditions?(object: T, environment: Environment): readonly RowCondition[];
  readonly subresources?: readonly Subresource<T, Group>[];
  /** Quirks of this kind alone, because v1.21 has them. Default: none. */
  readonly compat?: Compat<T>;
}

/** A version of a kind as declared. `hub` is itself for the version in which strategy is declared. */
export interface Kind<T = ApiObject, Group = NeutralGroup> extends KindInfo<T, Group> {
  /** Only for the type checker; never set. */
  readonly static?: T;
  readonly origin: Origin;
  readonly schema: StructSchema;
  /** A further version has only what differs from the hub's, for objects of the hub version. */
  readonly strategy: Strategy<T>;
  /** The version whose bytes are stored, "batch/v1beta1" in orch's names; absent: the hub's own. */
  readonly stored?: string;
  readonly hub: Kind<ApiObject, Group> | undefined;
  /** The rules of its fields, which a bound kind checks with its strategy; absent: a custom kind, whose codec checks values. */
  readonly rules?: KindRules;
  /** What later releases changed. A further version without changes of its own has those of its hub. */
  readonly from?: KindChanges<T, Group>;
  /** Reads and checks objects of this version. Absent: made from `schema`. */
  readonly codec?: (kind: BoundKind) => Codec;
  /**
   * In a hub: how versions are converted, if not by `toHub` and `fromHub`. Each version is then written unchanged, and
   * converted only when it is stored and read. Absent: as declared.
   */
  readonly conversion?: (family: Family) => Conversion;
  /** Between this version and the hub; absent: the shapes are the same. Pure; may reuse parts of the argument. */
  toHub?(object: T, environment: Environment): ApiObject;
  fromHub?(object: ApiObject, environment: Environment): T;
  /** The same where an object may have so many parts that the conversion takes long. Absent: it is done at once. */
  toHubInSteps?(object: T, environment: Environment): Steps<ApiObject>;
  fromHubInSteps?(object: ApiObject, environment: Environment): Steps<T>;
}

type KindChanges<T, Group = NeutralGroup> = Changes<
  Omit<KindInfo<T, Group>, "group" | "version" | "kind" | "resource" | "columns"> &
    Strategy<T> & { readonly stored: string }
>;

/** A custom kind, in spoken names: nothing in it is renamed. */
export type CustomKind<T = ApiObject> = Kind<T, SpokenGroup>;
export type AnyKind = Kind | CustomKind;

/** Default: Name and Created At. */
type DeclaredColumns<T> = { readonly columns?: (column: ColumnBuilder<T>) => readonly Column<T>[] };

/** What changes an object on its way to the store: members of the state before can be written to only if copies of them were made. */
type DeclaredWrites<T> =
  | (Pick<KindInfo<T>, "defaults"> & Pick<Strategy<T>, "prepareForUpdate"> & { readonly leavesOldMembers?: false })
  | {
      readonly leavesOldMembers: true;
      defaults?(object: Shared<T>, environment: Environment, old?: T): void;
      prepareForUpdate?(object: Shared<T>, old: T, environment: Environment): void;
    };

export type KindOptions<F extends Fields, Group = NeutralGroup> = Omit<
  KindInfo<NoInfer<StaticObject<F>>, Group>,
  "columns" | "defaults"
> &
  DeclaredWrites<NoInfer<StaticObject<F>>> &
  Omit<Strategy<NoInfer<StaticObject<F>>>, "prepareForUpdate" | "leavesOldMembers"> &
  DeclaredRest<F, Group>;

/** As they are kept: what gets a `Shared` object takes any. */
type KeptOptions<F extends Fields, Group> = Omit<KindInfo<StaticObject<F>, Group>, "columns"> &
  Strategy<StaticObject<F>> &
  DeclaredRest<F, Group>;

type DeclaredRest<F extends Fields, Group> = DeclaredColumns<NoInfer<StaticObject<F>>> & {
  /** All but apiVersion, kind and metadata (which is protobuf field 1 of every kind). */
  readonly fields: F;
  /** "core.v1.Pod"; default: made from group, version and kind. */
  readonly typeName?: string;
  readonly stored?: string;
  readonly codec?: NonNullable<Kind["codec"]>;
  readonly conversion?: NonNullable<Kind["conversion"]>;
  readonly from?: KindChanges<NoInfer<StaticObject<F>>, Group>;
  /** Rules between the fields of structs, wherever they occur in the kind; those of single fields are in `fields`. */
  readonly relations?: readonly Relation[];
  /** Whether an update must meet the rules as well. Default: true. */
  readonly rulesOnUpdate?: boolean;
};

/** Declares a kind in the version in which its strategy is written. */
export function kind<const F extends Fields>(options: KindOptions<F>): Kind<StaticObject<F>> {
  return declareKind(options, "builtin");
}

export function declareKind<const F extends Fields, Group extends string>(
  options: KindOptions<F, Group>,
  origin: Origin,
): Kind<StaticObject<F>, Group> {
  const { fields, typeName, columns, relations, rulesOnUpdate, ...rest } = options as KeptOptions<F, Group>;
  const { strategy, info } = splitStrategy(rest);
  return {
    ...info,
    schema: rootSchema(typeName ?? defaultTypeName(options), options, fields),
    ...(columns ? { columns: columns(buildColumn) } : {}),
    strategy,
    rules: createRules(fields, { relations, rulesOnUpdate }),
    origin,
    hub: undefined,
  };
}

interface VersionOptions<F extends Fields, Hub, Group = NeutralGroup>
  extends Partial<Omit<KindInfo<NoInfer<StaticObject<F>>, NoInfer<Group>>, "columns">>,
    DeclaredColumns<NoInfer<StaticObject<F>>> {
  readonly version: string;
  /** Absent: the hub's fields, whose structs get names of this version. */
  readonly fields?: F;
  /** Without `fields`: what else differs in the structs. */
  readonly retyped?: RetypedOptions;
  readonly codec?: NonNullable<Kind["codec"]>;
  readonly typeName?: string;
  readonly from?: KindChanges<NoInfer<StaticObject<F>>, NoInfer<Group>>;
  /** Set if writes through this version have another strategy than the kind's own; objects are of the hub version. */
  readonly strategy?: Partial<Strategy<NoInfer<Hub>>>;
  toHub?(object: NoInfer<StaticObject<F>>, environment: Environment): Hub;
  fromHub?(object: Hub, environment: Environment): NoInfer<StaticObject<F>>;
  toHubInSteps?(object: NoInfer<StaticObject<F>>, environment: Environment): Steps<Hub>;
  fromHubInSteps?(object: Hub, environment: Environment): Steps<NoInfer<StaticObject<F>>>;
}

/**
 * Declares a further version of `hub`. Absent members are the hub's. `hub` may itself be a further version of the same
 * shape (events v1beta1 of events v1, whose hub is the core group's): then its conversions are used.
 */
export function version<Hub extends { metadata: ObjectMeta }, Group extends string, const F extends Fields = {}>(
  hub: Kind<Hub, Group>,
  options: VersionOptions<F, Hub, Group>,
): Kind<StaticObject<F>, Group> {
  const { fields, retyped, typeName, strategy, toHub, fromHub, toHubInSteps, fromHubInSteps, columns, ...info } =
    options;
  const { schema: _schema, strategy: _strategy, hub: _hub, stored: _stored, deprecated: _deprecated, ...more } = hub;
  const { codec: _codec, conversion: _conversion, since: _since, until: _until, ...hubInfo } = more;
  const merged = { ...hubInfo, ...info, compat: { ...hub.compat, ...info.compat } };
  const name = typeName ?? defaultTypeName(merged);
  const schema = fields ? rootSchema(name, merged, fields) : retypedRoot(hub.schema, name, retyped);
  // The hub's own info functions are typed for the hub; without new fields the shapes are the same.
  return {
    ...(merged as KindInfo<StaticObject<F>, Group> & { origin: Origin }),
    ...(columns ? { columns: columns(buildColumn) } : {}),
    schema,
    strategy: (strategy ?? {}) as Strategy<StaticObject<F>>, // Kind.strategy says which version its objects have
    hub: hub.hub ?? hub,
    ...(toHub ? { toHub } : {}),
    ...(fromHub ? { fromHub } : {}),
    ...(toHubInSteps ? { toHubInSteps } : {}),
    ...(fromHubInSteps ? { fromHubInSteps } : {}),
  };
}

/** The hub's schema under another name. One of the same version (the scale of another group) shares all its structs. */
function retypedRoot(schema: StructSchema, name: string, options?: RetypedOptions): StructSchema {
  const [from, to] = [versionOfType(schema.name), versionOfType(name)];
  const own = from === to ? { ...schema, fields: schema.fields } : retypes(from, to, options)(schema);
  return Object.assign(own, { name });
}

/** "batch.v1" of "batch.v1.CronJob". */
const versionOfType = (name: string): string => name.slice(0, name.lastIndexOf("."));

function buildColumn<T>(...[name, cell, more]: Parameters<ColumnBuilder<T>>): Column<T> {
  return { name, type: "string", cell, ...more };
}

function defaultTypeName(info: GroupVersionKind): string {
  return `${info.group.split(".")[0] || "core"}.${info.version}.${info.kind}`;
}

interface RootOptions {
  readonly doc: string;
  readonly compat?: Pick<Compat<never>, "metadataListed">;
}

/** "Standard object's metadata" is a phrase that clients look for. */
export const metadataDoc = "Standard object's metadata: name, namespace, labels, annotations, owners.";

function rootSchema(name: string, { doc, compat }: RootOptions, fields: Fields): StructSchema {
  const metadata = elided(ObjectMetaStruct).at(1).doc(metadataDoc);
  const { metadataListed: listed = false } = compat ?? {};
  const shown = listed === true ? metadata.listed(true) : listed === false ? metadata : metadata.listed(true, listed);
  const all = { metadata: shown, ...fields };
  return struct(name, all, { doc }).schema as StructSchema; // struct() has made it
}

type StatusOptions<T> = Pick<Subresource<T>, "merge" | "validate" | "resets" | "ownsGiven" | "warnings" | keyof Span>;

/** The path through which only status is written; the registry keeps everything else unless `merge` says more. */
export function status(): Subresource<never>;
export function status<T>(options: StatusOptions<T>): Subresource<T>;
export function status<T>(options: StatusOptions<T> = {}): Subresource<T> {
  return { name: "status", verbs: ["get", "patch", "update"], ...options };
}
