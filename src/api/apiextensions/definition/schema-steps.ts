/** Checks of the schema of one version, or of all of them. */

import type { Steps } from "../../../base/time-slice.ts";
import { checkDefaultRules, validateRules } from "../../../cel/schema/check-rules.ts";
import { validateRuleMembers } from "../../../cel/schema/rule-members.ts";
import type { JsonSchema } from "../../../machinery/json/json-schema.ts";
import { validateDefaults } from "../../../machinery/json-schema/defaults.ts";
import { validateSchema } from "../../../machinery/json-schema/keywords.ts";
import { unsupportedKeyword, validateStructural } from "../../../machinery/json-schema/structural.ts";
import type { FieldError, FieldErrors } from "../../../machinery/status/field-error.ts";
import { forbidden, invalid, noErrors, together } from "../../../machinery/status/field-error.ts";
import type { DefinitionRules } from "./rules.ts";

interface ValidationRules extends DefinitionRules {
  /** Whether there is a status subresource, for which the schema of the status is extracted. */
  readonly hasStatus: boolean;
}

/** The fields allowed beside properties.status; others would be ignored for the status path. */
const atRoot: ReadonlySet<string> = new Set([
  "description",
  "type",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "required",
  "items",
  "properties",
  "externalDocs",
  "example",
]);

/** Those of them that are extensions. */
const rootExtensions: ReadonlySet<string> = new Set(["preserve-unknown-fields", "validations"]);

/** One step for each pass over the schema: there may be tens of thousands of properties. */
export function* validationSteps(
  validation: { readonly openAPIV3Schema?: JsonSchema } | undefined,
  above: string,
  rules: ValidationRules,
): Steps<FieldErrors> {
  const schema = validation?.openAPIV3Schema;
  if (schema === undefined) return noErrors;
  const path = `${above}.openAPIV3Schema`;
  yield;
  const { prefix, environment } = rules;
  const hasRules = environment.gates.enabled("CustomResourceValidationExpressions");
  const atTop = together(
    rules.hasStatus ? checkRoot(schema, path, rules.prefix) : noErrors,
    schema.nullable === true ? [forbidden(`${path}.nullable`, "must not be true at the root")] : noErrors,
  );
  const schemaErrors = together(
    yield* validateSchema(schema, path, rules),
    hasRules ? yield* validateRuleMembers(schema, path, prefix) : noErrors,
  );
  const errors = together(atTop, schemaErrors);
  if (!rules.structural) return errors;
  yield;
  const unsupported = yield* unsupportedKeyword(schema, rules.prefix);
  // Most of them have been reported already, each with its path.
  if (unsupported !== undefined) return errors.length > 0 ? errors : [invalid(path, "", `must not use ${unsupported}`)];
  yield;
  const problems = yield* validateStructural(schema, path, prefix);
  if (problems.length > 0) return together(errors, problems);
  yield;
  const refused = new Set<string>();
  const defaults = together(
    yield* validateDefaults(schema, path, { ...rules, pruned: rules.prunedDefaults, refused }),
    hasRules ? yield* checkDefaultRules(schema, path, { prefix, environment, refused }) : noErrors,
  );
  // Rules of a schema that is not structural, or whose defaults do not fit, are not compiled: their types may be unknown.
  if (defaults.length > 0 || !hasRules) return together(errors, defaults);
  return together(errors, yield* validateRules(schema, path, { prefix, environment, schemaErrors }));
}

function checkRoot(schema: JsonSchema, path: string, prefix: string): FieldError[] {
  for (const keyword of Object.keys(schema)) {
    if (keyword === "type") {
      if (schema.type !== "object")
        return [invalid(`${path}.type`, schema.type, "must be object where there is a status path")];
    } else if (!atRoot.has(keyword) && !rootExtensions.has(keyword.slice(prefix.length))) {
      return [invalid(path, keyword, `must not have ${keyword} at the root where there is a status path`)];
    }
  }
  return [];
}
