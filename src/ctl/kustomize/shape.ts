/** Checks the types of a file that configures kustomize; field names are read without regard to case. */

import { CtlError } from "../errors.ts";
import { isMembers, isNull, type Members, put, WrittenScalar, type YamlValue } from "./value.ts";

export type Shape =
  | "text"
  | "boolean"
  | "integer"
  | "any"
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly members: Readonly<Record<string, Shape>> };

interface ShapeContext {
  /** The file. */
  readonly source: string;
  /** What it describes: "Kustomization". */
  readonly name: string;
  readonly path?: readonly string[];
}

/** The value with field names as the shape spells them, and without nulls. Throws CtlError. */
export function checkShape(value: YamlValue, shape: Shape, context: ShapeContext): YamlValue {
  if (isNull(value) || shape === "any") return value;
  if (typeof shape === "string") {
    if (isType(value, shape)) return value;
    throw wrongType(value, goTypes[shape], context);
  }
  if ("list" in shape) {
    if (!Array.isArray(value)) throw wrongType(value, "[]", context);
    return value.map((item) => checkShape(item, shape.list, context)).filter((item) => !isNull(item));
  }
  if (!isMembers(value)) throw wrongType(value, "map", context);
  const checked: Members = {};
  for (const [name, member] of Object.entries(value)) {
    const known = "map" in shape ? { name, shape: shape.map } : fieldOf(shape.members, name);
    if (known === undefined)
      throw new CtlError(
        `${context.source}: invalid ${context.name}: json: unknown field "${name}": it is misspelt, or newer than kustomize 5.8`,
      );
    const inner = { ...context, path: [...(context.path ?? []), known.name] };
    const result = checkShape(member, known.shape, inner);
    if (!isNull(result)) put(checked, known.name, result);
  }
  return checked;
}

function fieldOf(members: Readonly<Record<string, Shape>>, name: string): { name: string; shape: Shape } | undefined {
  const exact = Object.hasOwn(members, name) ? name : undefined;
  const known = exact ?? Object.keys(members).find((one) => one.toLowerCase() === name.toLowerCase());
  const shape = known === undefined ? undefined : members[known];
  return known === undefined || shape === undefined ? undefined : { name: known, shape };
}

const goTypes = { text: "string", boolean: "bool", integer: "int" } as const;

function isType(value: YamlValue, type: "text" | "boolean" | "integer"): boolean {
  if (type === "text") return typeof value === "string";
  if (type === "boolean") return typeof value === "boolean";
  return value instanceof WrittenScalar && (typeof value.value === "bigint" || Number.isInteger(value.value));
}

function wrongType(value: YamlValue, wanted: string, { source, name, path = [] }: ShapeContext): CtlError {
  const found = Array.isArray(value)
    ? "array"
    : isMembers(value)
      ? "object"
      : value instanceof WrittenScalar
        ? "number"
        : typeof value === "boolean"
          ? "bool"
          : "string";
  const field = [name, ...path].join(".");
  return new CtlError(
    `${source}: invalid ${name}: json: cannot unmarshal ${found} into field ${field} of type ${wanted}`,
  );
}
