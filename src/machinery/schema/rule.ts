/**
 * The rules that a declaration puts on single fields, as data. `constraints.ts` checks values by them, in the order in which
 * they were declared; the first that a value does not meet is reported, and of a list or map all of them. A field that is absent meets all of them but
 * `required`; its presence says what absent means (schema.ts). `text` is told to clients in place of the usual words.
 */

import type { Dated } from "../../base/release.ts";
import type { FieldErrors } from "../status/field-error.ts";
import type { Environment } from "./environment.ts";

export type Rule = Required | Filled | OneOf | Range | Named | Longest | Unique | Alone | Checked | Immutable;

/** Absent, zero or empty is refused. */
interface Required {
  readonly rule: "required";
  readonly text?: string;
}
/** A text that is given must not be empty: such a pointer counts as given. */
interface Filled {
  readonly rule: "filled";
  readonly text?: string;
}
interface OneOf {
  readonly rule: "oneOf";
  /** At a level all of them are texts. */
  readonly values: readonly (string | Dated<string>)[];
  /** Given: other values are invalid, for this reason. Absent: they are not supported, and the allowed ones are listed. */
  readonly text?: string;
}
/** Bounds of numbers and quantities. */
export interface Range {
  readonly rule: "range";
  readonly least?: number;
  /** The value must be more than this. */
  readonly above?: number;
  readonly most?: number;
  readonly text?: string;
}
interface Named {
  readonly rule: "named";
  readonly format: NameFormat;
}
/** How many bytes a text has, or items a list or map, at most. */
interface Longest {
  readonly rule: "max";
  readonly max: number;
  /** Given: a longer one is invalid, for this reason. Absent: it is too long or has too many. */
  readonly text?: string;
}
/** No two items of a list are the same in this member; "": as wholes. */
export interface Unique {
  readonly rule: "unique";
  readonly key: string;
  /** Whether the item that repeats an earlier one is reported, in place of its member. */
  readonly isItemReported?: boolean;
  /** Whether two items without the member repeat each other. */
  readonly isAbsentCompared?: boolean;
  /** Whether only items are compared whose member meets its own rules. */
  readonly isOfValid?: boolean;
  /** Given: a repetition is invalid, for this reason. Absent: it is a duplicate. */
  readonly text?: string;
}
/** A list that has this item has nothing else. */
interface Alone {
  readonly rule: "alone";
  readonly item: string;
  readonly text: string;
}
/** What a function finds wrong with the value, for what no other rule says. */
interface Checked {
  readonly rule: "checked";
  readonly check: CheckFunction;
}
/** `path` is "": the errors are relative to the field. */
export type CheckFunction<T = never> = (value: T, path: string, environment: Environment) => FieldErrors;
/** Keeps its first value. */
export interface Immutable {
  readonly rule: "immutable";
  /** Whether a value may still come where none was. */
  readonly isOnce?: boolean;
  /** Given: a change is forbidden, for this reason, or invalid. Absent: the new value is invalid. */
  readonly text?: string;
  readonly isInvalid?: boolean;
}

/** Forms of names by their word (`constraints.ts` has the table), or a function that returns what is wrong. */
export type NameFormat =
  | "label"
  | "label1035"
  | "subdomain"
  | "qualified"
  | "fullyQualified"
  | "pathSegment"
  | "labelValue"
  | "configKey"
  | "envName"
  | "portName"
  | "headerName"
  | "absolutePath"
  | "relativePath"
  | "filePath"
  | "pathWithoutParents"
  | "ip"
  | "cidr"
  | "port"
  | ((text: string) => readonly string[]);
