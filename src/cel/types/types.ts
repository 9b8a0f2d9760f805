/** The types of expressions, and their names as problems spell them. */

export type Type =
  | SimpleType
  | ListType
  | MapType
  | OptionalType
  | TypeType
  | ObjectType
  | { readonly kind: "param"; readonly name: string };

interface SimpleType {
  readonly kind:
    | "int"
    | "uint"
    | "double"
    | "string"
    | "bytes"
    | "bool"
    | "null"
    | "duration"
    | "timestamp"
    /** Any type: nothing is checked before evaluation. */
    | "dyn"
    /** An expression that has a problem already has this type, so that it causes no second one. */
    | "error";
}
interface ComposedType {
  /** How many types it consists of. A map of maps may grow twofold with each loop. */
  readonly parts: number;
}
interface ListType extends ComposedType {
  readonly kind: "list";
  readonly item: Type;
}
interface MapType extends ComposedType {
  readonly kind: "map";
  readonly key: Type;
  readonly value: Type;
}
interface OptionalType extends ComposedType {
  readonly kind: "optional";
  readonly item: Type;
}
/** The type of a type, such as `int` in `type(1) == int`. */
interface TypeType extends ComposedType {
  readonly kind: "type";
  readonly of: Type;
}
/** Types of the same name are the same; fields are those that expressions may select. */
export interface ObjectType {
  readonly kind: "object";
  readonly name: string;
  readonly fields: ReadonlyMap<string, Type>;
  /** Whether it has fields of any other name too, of any type. Default: false. */
  readonly isOpen?: boolean;
}

export const int: Type = { kind: "int" };
export const uint: Type = { kind: "uint" };
export const double: Type = { kind: "double" };
export const string: Type = { kind: "string" };
export const bytes: Type = { kind: "bytes" };
export const bool: Type = { kind: "bool" };
export const nullType: Type = { kind: "null" };
export const duration: Type = { kind: "duration" };
export const timestamp: Type = { kind: "timestamp" };
export const dyn: Type = { kind: "dyn" };
export const errorType: Type = { kind: "error" };

export const partsOf = (type: Type): number => ("parts" in type ? type.parts : 1);

export const listOf = (item: Type): ListType => ({ kind: "list", item, parts: partsOf(item) + 1 });
export const mapOf = (key: Type, value: Type): MapType => ({
  kind: "map",
  key,
  value,
  parts: partsOf(key) + partsOf(value) + 1,
});
export const optionalOf = (item: Type): OptionalType => ({ kind: "optional", item, parts: partsOf(item) + 1 });
export const typeOf = (of: Type): TypeType => ({ kind: "type", of, parts: partsOf(of) + 1 });
/** A type that a call chooses: the same everywhere within one overload. */
export const param = (name: string): Type => ({ kind: "param", name });

const noFields: ReadonlyMap<string, Type> = new Map();

export function objectType(name: string, fields: ReadonlyMap<string, Type> = noFields): ObjectType {
  return { kind: "object", name, fields };
}

/** "list(int)", "map(string, dyn)", "optional_type(string)". */
export function typeName(type: Type): string {
  switch (type.kind) {
    case "list":
      return `list(${typeName(type.item)})`;
    case "map":
      return `map(${typeName(type.key)}, ${typeName(type.value)})`;
    case "optional":
      return `optional_type(${typeName(type.item)})`;
    case "type":
      return `type(${typeName(type.of)})`;
    case "object":
    case "param":
      return type.name;
    case "duration":
    case "timestamp":
      return `google.protobuf.${type.kind === "duration" ? "Duration" : "Timestamp"}`;
    case "null":
      return "null";
    case "error":
      return "!error!";
    default:
      return type.kind;
  }
}
