/** Fills in what a client omitted in an object of a kind. */

import type { BoundKind } from "./catalog.ts";
import { applyDefaults } from "./defaults.ts";
import type { ApiObject } from "./kind.ts";

/**
 * The declared function of the kind first, then those of its structs and fields. In place; `object` has been decoded. Members of `known`
 * have their defaults.
 */
export function defaultKind(kind: BoundKind, object: ApiObject, known?: ApiObject): void {
  const { environment } = kind.family;
  kind.declaration.defaults?.(object, environment, known);
  applyDefaults(kind.schema, object, environment, known);
}
