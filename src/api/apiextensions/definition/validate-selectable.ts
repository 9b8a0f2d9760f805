/** Checks of the fields of a definition that field selectors may name. */

import { fieldPathSteps } from "../../../cel/schema/schema-rules.ts";
import { additionalSchema, type JsonSchema, propertyOf } from "../../../machinery/json/json-schema.ts";
import { duplicate, type FieldError, invalid, tooMany } from "../../../machinery/status/field-error.ts";
import type { SelectableField } from "../v1/definition-parts.ts";

/** How many fields of one version can be selected by. */
export const selectableFieldsMax = 8;

/** Each of them is read from every object that is written. */
const selectableTypes: ReadonlySet<string> = new Set(["string", "boolean", "integer"]);

/** `.a.b`: names without brackets. */
const plainPath = /^(?:\.[^.[\]]+)+$/;

/** `schema` is that beside which the fields are declared: of one version, or of all of them. */
export function validateSelectable(
  { selectableFields = [] }: { readonly selectableFields?: readonly SelectableField[] },
  schema: { readonly openAPIV3Schema?: JsonSchema } | undefined,
  path: string,
  { prefix }: { readonly prefix: string },
): FieldError[] {
  if (selectableFields.length === 0) return [];
  const root = schema?.openAPIV3Schema;
  if (root === undefined)
    return [invalid(path, "", "must be the same in all versions if, and only if, all have the same schema")];
  const errors: FieldError[] = [];
  const paths = selectableFields.map(({ jsonPath = "" }) => jsonPath);
  const known = new Set<string>();
  for (const [index, jsonPath] of paths.entries()) {
    const at = `${path}[${index}].jsonPath`;
    const problems = problemsOfPath(jsonPath, root, at, prefix);
    errors.push(...problems);
    if (jsonPath === "" || problems.some(({ field }) => field === at)) continue;
    if (jsonPath.startsWith(".metadata.") || jsonPath === ".metadata")
      errors.push(invalid(`${path}[${index}]`, jsonPath, "must not be a field of metadata"));
    if (known.has(jsonPath)) errors.push(duplicate(at, jsonPath));
    known.add(jsonPath);
  }
  if (known.size > selectableFieldsMax) errors.push(tooMany(path, known.size, selectableFieldsMax));
  return errors;
}

function problemsOfPath(jsonPath: string, root: JsonSchema, at: string, prefix: string): FieldError[] {
  if (jsonPath === "") return []; // that is reported
  const steps = plainPath.test(jsonPath) ? fieldPathSteps(jsonPath, root, prefix) : undefined;
  if (steps === undefined)
    return [invalid(at, jsonPath, "must be the path of a field of the schema, such as .spec.color")];
  let found: JsonSchema | undefined = root;
  for (const { name } of steps) found = found && (propertyOf(found, name) ?? additionalSchema(found));
  if (selectableTypes.has(found?.type ?? "")) return [];
  return [invalid(at, jsonPath, "must be the path of a field of type string, boolean or integer")];
}
