/** Checks of the fields of a definition that field selectors may name. */

import type { Steps } from "../../../base/time-slice.ts";
import { fieldPathSteps } from "../../../cel/schema/schema-rules.ts";
import { additionalSchema, type JsonSchema, propertyOf } from "../../../machinery/json/json-schema.ts";
import { unsupportedKeyword } from "../../../machinery/json-schema/structural.ts";
import {
  duplicate,
  type FieldError,
  type FieldErrors,
  invalid,
  noErrors,
  tooMany,
} from "../../../machinery/status/field-error.ts";
import type { SelectableField } from "../v1/definition-parts.ts";

/** How many fields of one version can be selected by. */
export const selectableFieldsMax = 8;

/** Each of them is read from every object that is written. */
const selectableTypes: ReadonlySet<string> = new Set(["string", "boolean", "integer"]);

/** `.a.b`: names without brackets. */
const plainPath = /^(?:\.[^.[\]]+)+$/;

const notThere = "must be the path of a field of the schema, such as .spec.color";

/** `schema` is that beside which the fields are declared, of one version or of all of them, both at `above`. */
export function* selectableSteps(
  { selectableFields = [] }: { readonly selectableFields?: readonly SelectableField[] },
  schema: { readonly openAPIV3Schema?: JsonSchema } | undefined,
  above: string,
  prefix: string,
): Steps<FieldErrors> {
  if (selectableFields.length === 0) return noErrors;
  const path = `${above}.selectableFields`;
  const root = schema?.openAPIV3Schema;
  if (root === undefined)
    return [invalid(path, "", "must be the same in all versions if, and only if, all have the same schema")];
  const unsupported = yield* unsupportedKeyword(root, prefix);
  if (unsupported !== undefined) {
    const isNoPath = ({ jsonPath = "" }: SelectableField) => jsonPath !== "" && !jsonPath.startsWith(".");
    return [
      invalid(`${above}.schema.openAPIV3Schema`, "", `must not use ${unsupported} beside selectable fields`),
      ...selectableFields.flatMap((field, index) =>
        isNoPath(field) ? [invalid(`${path}[${index}].jsonPath`, field.jsonPath, notThere)] : [],
      ),
    ];
  }
  const errors: FieldError[] = [];
  const known = new Set<string>();
  for (const [index, { jsonPath = "" }] of selectableFields.entries()) {
    const at = `${path}[${index}].jsonPath`;
    if (jsonPath === "") continue; // that is reported
    const found = plainPath.test(jsonPath) ? schemaAt(jsonPath, root) : undefined;
    if (found === undefined) {
      errors.push(invalid(at, jsonPath, notThere));
      continue;
    }
    if (jsonPath.startsWith(".metadata.") || jsonPath === ".metadata")
      errors.push(invalid(at, jsonPath, "must not be a field of metadata"));
    if (!selectableTypes.has(found.type ?? ""))
      errors.push(invalid(at, jsonPath, "must be the path of a field of type string, boolean or integer"));
    if (known.has(jsonPath)) errors.push(duplicate(at, jsonPath));
    known.add(jsonPath);
  }
  if (known.size > selectableFieldsMax) errors.push(tooMany(path, known.size, selectableFieldsMax));
  return errors;
}

function schemaAt(jsonPath: string, root: JsonSchema): JsonSchema | undefined {
  let found: JsonSchema | undefined = root;
  for (const { name } of fieldPathSteps(jsonPath, root) ?? []) {
    found = found && (propertyOf(found, name) ?? additionalSchema(found));
  }
  return found === root ? undefined : found;
}
