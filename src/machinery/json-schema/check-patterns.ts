/** Checks that the patterns of a schema are valid, and not too many. */

import type { FieldError } from "../status/field-error.ts";
import { invalid } from "../status/field-error.ts";
import type { JsonSchema } from "./json-schema.ts";
import { additionalSchema, itemSchema } from "./json-schema.ts";
import { patternCharsMax, patternProblem, schemaPatternStepsMax } from "./pattern.ts";
import { patternSteps } from "./pattern-steps.ts";

/** For a schema whose keywords are those of structural schemas. A repeated pattern counts once. */
export function checkPatterns(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  let steps = 0;
  const check = (pattern: string, at: string) => {
    // A pattern that is too long is refused for that, and its steps are not counted.
    if (!seen.has(pattern) && pattern.length <= patternCharsMax) steps += patternSteps(pattern);
    seen.add(pattern);
    const problem =
      steps > schemaPatternStepsMax
        ? `the patterns of a schema may have at most ${schemaPatternStepsMax} steps together`
        : patternProblem(pattern);
    if (problem !== undefined) errors.push(invalid(at, pattern, `must be a regular expression: ${problem}`));
  };
  visit(schema, path, check);
  return errors;
}

function visit(schema: JsonSchema, path: string, check: (pattern: string, at: string) => void): void {
  if (schema.pattern) check(schema.pattern, `${path}.pattern`);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    visit(property, `${path}.properties[${name}]`, check);
  for (const choice of ["anyOf", "allOf", "oneOf"] as const)
    (schema[choice] ?? []).forEach((inner, index) => void visit(inner, `${path}.${choice}[${index}]`, check));
  const single = { not: schema.not, items: itemSchema(schema), additionalProperties: additionalSchema(schema) };
  for (const [keyword, inner] of Object.entries(single)) if (inner) visit(inner, `${path}.${keyword}`, check);
}
