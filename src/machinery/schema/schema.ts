/**
 * The schema language: a type is plain data, from which decoding, protobuf, OpenAPI, merge topology and the TypeScript
 * type are derived.
 *
 * Its main concern is the difference between absent and zero. A v1.21 client sees what a Go struct would print, so every
 * field has one of four presence rules:
 *
 *   presence    Go                     absent or zero in JSON                              in protobuf
 *   required    value                  always there: "" 0 false {} (a list or map: null)   always written
 *   elided      value, omitempty       left out; a struct still {} and a time null         always written
 *   optional    pointer, omitempty     left out when absent; a given zero stays            written when given
 *   nullable    pointer                null when absent                                    written when given
 *
 * Lists and maps have no pointer form: elided and optional both leave them out when empty, and a required one that is
 * empty is null: v1.21 keeps objects as protobuf, which has no empty lists (CRDs are the exception: keepsEmpty).
 */

import type { Changes, Dated, Release, Span } from "../../base/release.ts";
import type { Environment } from "./environment.ts";
import type { Behind, BehindOptions, GateWithEffect } from "./gates.ts";
import type { CheckFunction, Immutable, NameFormat, Rule, Unique } from "./rule.ts";

/**
 * Whether a member is there: always, or only if it was given.
 * @example
 * type Optional = Field<string, Extract<Presence, "optional">>;
 */
export type Presence = "required" | "elided" | "optional" | "nullable";

/** How apply sees a list: replaced as a whole, a set of scalars, or items identified by their keys. */
export type ListTopology = "atomic" | "set" | "map";
/** How apply sees a map or struct: one owner for all of it, or one for each entry. */
export type MapTopology = "atomic" | "granular";

export interface PlainSchema {
  readonly type:
    | "string"
    | "int32"
    | "int64"
    | "uint32"
    | "bool"
    | "double"
    /** Base64 in JSON, bytes in protobuf. */
    | "bytes"
    /** A decimal with a suffix, canonical as text. */
    | "quantity"
    | "intOrString"
    /** RFC 3339 to the second; null is the zero time. */
    | "time"
    /** RFC 3339 with microseconds. */
    | "microTime"
    /** "1h2m3s". */
    | "duration";
  /** The texts that servers write, for the type checker; what clients write is not checked by them. Absent: any. */
  readonly words?: readonly string[];
  /** Only shown by OpenAPI: there is nothing to merge. */
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}
export interface JsonValueSchema {
  readonly type: "json";
  /**
   * Any JSON value. `form` is how protobuf carries it: `raw` as RawExtension (a JSON object), `value` as the JSON
   * message of apiextensions (any value), `fields` as FieldsV1. The others are a choice between what `inner` describes
   * and a list of it, a boolean, or a list of texts; each choice is a message of its own.
   */
  readonly form: "raw" | "value" | "fields" | JsonChoice;
  /** @internal */
  readonly inner?: StructSchema;
  /** The version of definitions whose name for it OpenAPI uses; absent: v1. */
  readonly version?: "v1beta1";
  /** How apply sees it; absent: atomic. Granular: objects have one owner for each member, lists are owned whole. */
  readonly topology?: MapTopology;
}
/** An object, or alternatively a list of such objects, a boolean, or a list of texts. */
export type JsonChoice = "orList" | "orBool" | "orTexts";
export interface ListSchema {
  readonly type: "list";
  /** @internal */
  readonly items: Schema;
  /** Absent: atomic, unless `patchMergeKey` or `patchStrategy` says merge (spec, merge-strategy markers). */
  readonly topology?: ListTopology;
  readonly keys?: readonly string[];
  /** Strategic merge: "merge", "replace", or "merge,retainKeys". @internal */
  readonly patchStrategy?: string;
  /** @internal */
  readonly patchMergeKey?: string;
  /** Protobuf carries the list in a message of its own, items at 1 (the values of `extra`). @internal */
  readonly wrapped?: boolean;
  /**
   * Whether a required list that was given empty stays []; otherwise it is null, as after v1.21 stored it. An optional one
   * stays as well if validation refuses it, so that it does not count as absent.
   * @internal
   */
  readonly keepsEmpty?: boolean;
  /** The rules of each item, if there are any. @internal */
  readonly ruled?: Field;
  /** What changed in later releases. @internal */
  readonly from?: Changes<Omit<ListSchema, "type" | "items" | "from">>;
}
export interface MapSchema {
  readonly type: "map";
  /** @internal */
  readonly values: Schema;
  /** The rules of each value, if there are any. @internal */
  readonly ruled?: Field;
  readonly topology?: MapTopology;
  /** Quantities finer than this are rounded away from zero when defaults are filled in. Absent: kept unchanged. @internal */
  readonly finest?: "milli";
  /** What changed in later releases. @internal */
  readonly from?: Changes<Omit<MapSchema, "type" | "values" | "from">>;
}
export interface StructSchema {
  readonly type: "struct";
  /** "core.v1.Container": the group (or package), the version, the type; the key of its OpenAPI definition. */
  readonly name: string;
  readonly description: string;
  /** In protobuf order or not; names are those of JSON. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly topology?: MapTopology;
  /** Embedded messages that JSON shows flat: name -> protobuf number. One in another is named "outer.inner", after it. */
  readonly inline?: Readonly<Record<string, number>>;
  /** Strategic merge for this struct as a field: "replace", "retainKeys"; absent: merge. */
  readonly patchStrategy?: string;
  /** Fills in what this struct omits, before its own fields are visited. Called wherever the struct occurs. */
  // biome-ignore lint/suspicious/noExplicitAny: the value's static type is known where the struct is declared
  readonly defaults?: (value: any, environment: Environment) => void;
  /** The schema of members that no field describes. Absent: there are none. */
  readonly open?: Schema;
  /**
   * Whether a decoded value is never changed, only replaced by another, and looks the same in every version of the kind that has
   * it. Versions then share the value: converting a definition does not copy its schema.
   */
  readonly isFinal?: boolean;
  /** Unions with a discriminator (OpenAPI extension only). */
  readonly unions?: readonly unknown[];
  /** What changed in later releases. */
  readonly from?: Changes<Pick<StructSchema, "name" | "topology" | "patchStrategy" | "unions" | "inline" | "defaults">>;
}
export type Schema = PlainSchema | JsonValueSchema | ListSchema | MapSchema | StructSchema;

/**
 * Marks what is sent of a member with a default: it may be left out.
 * @example
 * type Sent = Defaulted<number>;
 */
export interface Defaulted<W> {
  readonly defaulted: W;
}

/**
 * A schema together with how it is present in a struct. Builders return fields; lists and maps take their schema.
 * @example
 * const size = field.int32().atLeast(1).default(3).doc("How large it is.");
 */
export class Field<T = unknown, P extends Presence = Presence, W = unknown> {
  /** Only for the type checker; never set. */
  declare readonly static: T;
  /** What is sent, where that differs: a member with a default may be left out. Unknown: the same. */
  declare readonly written: W;
  /** @internal */
  readonly schema: Schema;
  readonly presence: P;
  /** The protobuf field number; 0: not sent in protobuf. @internal */
  readonly number: number = 0;
  /** The embedded message (StructSchema.inline) that carries the field in protobuf. @internal */
  readonly inside: string | undefined;
  /** The description for explain and OpenAPI. @internal */
  readonly description: string = "";
  /** Given to the field when a client leaves it out; undefined: none. @internal */
  readonly fallback: unknown;
  /** Whether OpenAPI v3 names the default; v2 names none. @internal */
  readonly showsDefault: boolean = false;
  /** Whether OpenAPI calls it an atomic list: some fields of bytes. @internal */
  readonly isListedAtomic: boolean = false;
  /** OpenAPI's required, where it differs from `presence === "required"`. @internal */
  readonly listedRequired: boolean | undefined;
  /** The values that OpenAPI names, where they are not those of the rule `oneOf`; "none": it names none. @internal */
  readonly enumeration: readonly string[] | "none" | undefined;
  /** In the order in which they are checked. @internal */
  readonly rules: readonly Rule[] = noRules;
  /** Whether the rules refuse an empty text, or accept it. Undefined: it is absent in an elided field, otherwise a value. @internal */
  readonly empty: "checked" | "accepted" | undefined;
  /** What v1.21 calls the field in errors, if not by its name; "" for items that it reports as their list. @internal */
  readonly reportedAs: string | undefined;
  /** The releases that have the field. @internal */
  readonly span: Span = always;
  /** What releases changed, in their order. @internal */
  readonly changes: readonly FieldChange[] = unchanged;
  /** Whether what is immutable in its struct may change here. @internal */
  readonly isChangeable: boolean = false;
  /** Whether an update may keep a value that does not meet the rules. @internal */
  readonly isRatcheted: boolean = false;
  /** Whether protobuf has the field even where JSON omits it: a struct that JSON omits when it is zero. @internal */
  readonly isSent: boolean = false;
  /** The gates that the field or a member of it is behind, wherever its struct occurs. @internal */
  readonly gated: readonly Behind[] = ungated;
  /** Whether the field and everything in it is left out of checks. @internal */
  readonly isUnchecked: boolean = false;

  /** `from` gives the rest: thousands of fields are copied at a start, and members by name take a fifth of the time that spreading takes. @internal */
  constructor(schema: Schema, presence: P, from?: Field) {
    this.schema = schema;
    this.presence = presence;
    if (from === undefined) return;
    this.number = from.number;
    this.inside = from.inside;
    this.description = from.description;
    this.fallback = from.fallback;
    this.showsDefault = from.showsDefault;
    this.isListedAtomic = from.isListedAtomic;
    this.listedRequired = from.listedRequired;
    this.enumeration = from.enumeration;
    this.rules = from.rules;
    this.empty = from.empty;
    this.reportedAs = from.reportedAs;
    this.span = from.span;
    this.changes = from.changes;
    this.isChangeable = from.isChangeable;
    this.isRatcheted = from.isRatcheted;
    this.isSent = from.isSent;
    this.isUnchecked = from.isUnchecked;
    this.gated = from.gated;
  }

  /** A copy with some members replaced. @internal */
  with(more: Partial<Field>): Field<T, P, W> {
    return Object.assign(new Field<T, P, W>(this.schema, this.presence, this), more);
  }

  /** The protobuf number, and the embedded message it sits in. @internal */
  at(number: number, inside?: string): Field<T, P, W> {
    return this.with({ number, inside });
  }

  doc(description: string): Field<T, P, W> {
    return this.with({ description });
  }

  /** What the field becomes when a client leaves it out (for elided fields: or sends the zero value). */
  default(fallback: T): Field<T, P, Defaulted<W>> {
    return new Field<T, P, Defaulted<W>>(this.schema, this.presence, this).with({ fallback });
  }

  /** A default that OpenAPI v3 names too, as it does for a few fields of the reference; `release`: the first that names it. @internal */
  openApiDefault(fallback: T, release?: Release): Field<T, P, W> {
    const shown = (field: Field<T, Presence>) => field.with({ showsDefault: true });
    return release === undefined
      ? this.with({ fallback, showsDefault: true })
      : this.with({ fallback }).from(release, shown);
  }

  /** Bytes that OpenAPI calls an atomic list. @internal */
  openApiAtomic(): Field<T, P, W> {
    return this.with({ isListedAtomic: true });
  }

  /** Shown as not required in OpenAPI although always printed, or the other way round; `release`: the first in which it is so. @internal */
  listed(required: boolean, release?: Release): Field<T, P, W> {
    return release === undefined
      ? this.with({ listedRequired: required })
      : this.from(release, (field) => field.listed(required));
  }

  /** The values that OpenAPI names (gate OpenAPIEnums) in place of those of `oneOf`: later releases have their own lists. @internal */
  openApiEnum(values: readonly string[] | "none"): Field<T, P, W> {
    return this.with({ enumeration: values });
  }

  /** A client must give it: a pointer not absent, a list not empty, anything else not zero. */
  required(text?: string): Field<T, P, W> {
    return this.#ruled({ rule: "required", ...(text === undefined ? {} : { text }) });
  }

  /** A text that is given must not be empty; for pointers, which `required` only wants to be given. */
  filled(text?: string): Field<T, P, W> {
    return this.#ruled({ rule: "filled", ...(text === undefined ? {} : { text }) });
  }

  /** A value that came or went: `["A", since("1.25", "B")]`. */
  oneOf(values: readonly (string | Dated<string>)[], text?: string): Field<T, P, W> {
    return this.#ruled({ rule: "oneOf", values, ...(text === undefined ? {} : { text }) });
  }

  atLeast(least: number, text?: string): Field<T, P, W> {
    return this.#bounded({ least }, text);
  }

  /** A number or quantity must be more than this. */
  above(bound: number, text = `must be greater than ${bound}`): Field<T, P, W> {
    return this.#ruled({ rule: "range", above: bound, text });
  }

  /** After `atLeast` the two are one rule, reported as a range, unless that has its own text. */
  atMost(most: number, text?: string): Field<T, P, W> {
    return this.#bounded({ most }, text);
  }

  named(format: NameFormat): Field<T, P, W> {
    return this.#ruled({ rule: "named", format });
  }

  /** At most this many bytes of a text, or items. */
  max(max: number, text?: string): Field<T, P, W> {
    return this.#ruled({ rule: "max", max, ...(text === undefined ? {} : { text }) });
  }

  /** Items of the list differ in this member. */
  uniqueBy(key: string, more: Omit<Unique, "rule" | "key"> = {}): Field<T, P, W> {
    return this.#ruled({ rule: "unique", key, ...more });
  }

  /** A list that has this item has nothing else. @internal */
  alone(item: string, text: string): Field<T, P, W> {
    return this.#ruled({ rule: "alone", item, text });
  }

  /** Items of the list differ. */
  unique(): Field<T, P, W> {
    return this.#ruled({ rule: "unique", key: "" });
  }

  /** The function returns what is wrong with a value that is not absent. @internal */
  checked(check: CheckFunction<NonNullable<T>>): Field<T, P, W> {
    return this.#ruled({ rule: "checked", check });
  }

  /** Keeps its first value. `isInvalid`: another value is invalid for the reason `text`, in place of forbidden. @internal */
  immutable(text?: string, more: Pick<Immutable, "isInvalid"> = {}): Field<T, P, W> {
    return this.#ruled({ rule: "immutable", ...(text === undefined ? {} : { text }), ...more });
  }

  /** Keeps the first value that it is given. @internal */
  setOnce(text = "may not be changed once it is set", more: Pick<Immutable, "isInvalid"> = {}): Field<T, P, W> {
    return this.#ruled({ rule: "immutable", isOnce: true, text, ...more });
  }

  /** An empty text does not meet the rules, even where it counts as absent or was reported as required. @internal */
  evenEmpty(): Field<T, P, W> {
    return this.with({ empty: "checked" });
  }

  /** An empty text meets the rules, even where it is a value. @internal */
  orEmpty(): Field<T, P, W> {
    return this.with({ empty: "accepted" });
  }

  /** What is immutable elsewhere may change in this field. @internal */
  changeable(): Field<T, P, W> {
    return this.with({ isChangeable: true });
  }

  /** An update may keep a value that does not meet the rules: they came after it may have been stored. @internal */
  ratcheted(): Field<T, P, W> {
    return this.with({ isRatcheted: true });
  }

  /** Protobuf has it even when it is absent. @internal */
  sent(): Field<T, P, W> {
    return this.with({ isSent: true });
  }

  /** Nothing in it is checked with the rest: v1.21 does not, or the kind does so itself. @internal */
  unchecked(): Field<T, P, W> {
    return this.with({ isUnchecked: true });
  }

  /** A write drops the field while the gate is off, unless the object used the feature before: `gated.ts`. @internal */
  behind(gate: GateWithEffect, options: BehindOptions = {}): Field<T, P, W> {
    return this.with({ gated: [...this.gated, { gate, ...options }] });
  }

  /** Errors call the field so; "../name": as if it were a member of what its struct is in. @internal */
  reported(name: string): Field<T, P, W> {
    return this.with({ reportedAs: name });
  }

  /** The first release that has the field. @internal */
  since(release: Release): Field<T, P, W> {
    return this.with({ span: { ...this.span, since: release } });
  }

  /** The first release that no longer has the field. @internal */
  until(release: Release): Field<T, P, W> {
    return this.with({ span: { ...this.span, until: release } });
  }

  /** How a release changed the field: `.from("1.34", optional)`. The static type stays that of the first release. @internal */
  from(release: Release, change: (before: Field<T, Presence>) => Field<T, Presence, unknown>): Field<T, P, W> {
    return this.#changed({ since: release }, change);
  }

  /** What a release ended: a rule of earlier ones, `.before("1.34", (name) => name.named("envName"))`. @internal */
  before(release: Release, change: (field: Field<T, Presence>) => Field<T, Presence, unknown>): Field<T, P, W> {
    return this.#changed({ until: release }, change);
  }

  #changed(span: Span, change: (before: Field<T, Presence>) => Field<T, Presence, unknown>): Field<T, P, W> {
    // Fields are kept without their type.
    return this.with({ changes: [...this.changes, { span, change: change as FieldChange["change"] }] });
  }

  #ruled(rule: Rule): Field<T, P, W> {
    return this.with({ rules: [...this.rules, rule] });
  }

  #bounded(bound: { least: number } | { most: number }, text: string | undefined): Field<T, P, W> {
    const last = this.rules.at(-1);
    const before = last?.rule === "range" && last.text === undefined ? last : undefined;
    const range: Rule = { rule: "range", ...before, ...bound, ...(text === undefined ? {} : { text }) };
    return this.with({ rules: [...(before ? this.rules.slice(0, -1) : this.rules), range] });
  }
}

const noRules: readonly Rule[] = [];
const ungated: readonly Behind[] = [];

interface FieldChange {
  /** The releases in which the change counts. */
  readonly span: Span;
  readonly change: (before: Field) => Field;
}

const always: Span = {};
const unchanged: readonly FieldChange[] = [];
