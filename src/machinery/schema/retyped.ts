/** The structs of one version under the names of another. */

import { createRewrite, type Rewrite } from "./rewrite.ts";
import { Field, type Schema, type StructSchema } from "./schema.ts";

export interface RetypedOptions {
  /** Whether all lists say that they are replaced as a whole; otherwise those that say nothing still do so. Default: false. */
  readonly namesLists?: boolean;
  /** Structs of the other version that have no name of this one: they keep theirs, and so does what is in them. Default: none. */
  readonly keeps?: readonly string[];
  /** Whether lists have patch strategies that later releases gave them. Default: true. */
  readonly gainsPatches?: boolean;
  /** Fields that JSON has even when they are zero, by their names. Default: as in the other version. */
  readonly printed?: readonly string[];
  /** The values that OpenAPI names for a field, where they are others; "none": it names none. By the names of fields. */
  readonly enums?: Readonly<Record<string, readonly string[] | "none">>;
  /** Structs that are not owned as a whole, although they are in the other version: "Variable". Default: none. */
  readonly granular?: readonly string[];
}

/** Declares fields of the shape of another version: `inV2(HorizontalPodAutoscalerSpec)`. Structs elsewhere keep their names. */
export function createRetyped(
  from: string,
  to: string,
  options: RetypedOptions = {},
): <T>(field: Field<T, "required">) => Field<T, "required"> {
  const rewrite = retypes(from, to, options);
  // The shape is the same, and so is the type.
  return (field) => new Field(rewrite(field.schema as StructSchema), "required");
}

/** The same for schemas. */
export function retypes(from: string, to: string, options: RetypedOptions = {}): Rewrite {
  const { namesLists = false, keeps = [], gainsPatches = true, printed = [], enums = {}, granular = [] } = options;
  const prefix = `${from}.`;
  const kept = new Set(keeps.map((name) => `${prefix}${name}`));
  return createRewrite({
    name: (name) => name,
    field(field, name) {
      if (printed.includes(name)) return field.with({ presence: "required", listedRequired: false });
      const values = enums[name];
      return values === undefined ? field : field.openApiEnum(values);
    },
    schema<S extends Schema>(schema: S): S {
      if (namesLists && schema.type === "list" && schema.patchStrategy === undefined)
        return { topology: "atomic", ...schema };
      if (!gainsPatches && schema.type === "list" && schema.from !== undefined) {
        const { from: _, ...before } = schema;
        return before as S; // without one of its optional members
      }
      if (schema.type !== "struct" || !schema.name.startsWith(prefix)) return schema;
      const own = schema.name.slice(prefix.length);
      const { topology: _, ...separate } = schema;
      return { ...(granular.includes(own) ? (separate as S) : schema), name: `${to}.${own}` };
    },
    leaves: ({ name }) => kept.has(name),
  });
}
