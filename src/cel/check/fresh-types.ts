/** Types that stand at the beginning of a check: those of literals, and the parameters of a call. */

import type { Overload } from "../library/declaration.ts";
import type { Literal } from "../syntax/ast.ts";
import type { Substitution } from "../types/substitution.ts";
import {
  bool,
  bytes,
  double,
  int,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  string,
  type Type,
  typeOf,
  uint,
} from "../types/types.ts";
import { Uint } from "../values/values.ts";

/** The type of a literal. */
export function literalType(value: Literal): Type {
  if (value === null) return nullType;
  if (typeof value === "boolean") return bool;
  if (typeof value === "bigint") return int;
  if (typeof value === "number") return double;
  if (typeof value === "string") return string;
  return value instanceof Uint ? uint : bytes;
}

/** The parameters and the result with type parameters that no other call shares. */
export function freshParams(
  { params, result }: Overload,
  substitution: Substitution,
): { params: Type[]; result: Type } {
  const names = new Map<string, Type>();
  const rename = (type: Type): Type => {
    switch (type.kind) {
      case "param": {
        const known = names.get(type.name) ?? substitution.fresh();
        names.set(type.name, known);
        return known;
      }
      case "list":
        return listOf(rename(type.item));
      case "map":
        return mapOf(rename(type.key), rename(type.value));
      case "optional":
        return optionalOf(rename(type.item));
      case "type":
        return typeOf(rename(type.of));
      default:
        return type;
    }
  };
  return { params: params.map(rename), result: rename(result) };
}
