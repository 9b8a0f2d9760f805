/** The structs of one version under the names of another. */

import { createRewrite } from "./rewrite.ts";
import { Field, type Schema, type StructSchema } from "./schema.ts";

interface RetypedOptions {
  /** Whether all lists say that they are replaced as a whole; otherwise those that say nothing still do so. Default: false. */
  readonly namesLists?: boolean;
}

/** Declares fields of the shape of another version: `inV2(HorizontalPodAutoscalerSpec)`. Structs elsewhere keep their names. */
export function createRetyped(
  from: string,
  to: string,
  { namesLists = false }: RetypedOptions = {},
): <T>(field: Field<T, "required">) => Field<T, "required"> {
  const prefix = `${from}.`;
  const rewrite = createRewrite({
    name: (name) => name,
    field: (field) => field,
    schema<S extends Schema>(schema: S): S {
      if (namesLists && schema.type === "list" && schema.patchStrategy === undefined)
        return { topology: "atomic", ...schema };
      if (schema.type !== "struct" || !schema.name.startsWith(prefix)) return schema;
      return { ...schema, name: `${to}.${schema.name.slice(prefix.length)}` };
    },
  });
  // The shape is the same, and so is the type.
  return (field) => new Field(rewrite(field.schema as StructSchema), "required");
}
