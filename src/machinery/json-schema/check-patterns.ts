/** Checks that the patterns of a schema are valid, and not too many. */

import { Pace, type Steps } from "../../base/time-slice.ts";
import { additionalSchema, itemSchema, type JsonSchema } from "../json/json-schema.ts";
import { type FieldError, invalid } from "../status/field-error.ts";
import { patternCharsMax, patternProblem, schemaPatternStepsMax } from "./pattern.ts";
import { patternSteps } from "./pattern-steps.ts";

/** For a schema whose keywords are those of structural schemas. A repeated pattern counts once. */
export function* checkPatterns(schema: JsonSchema, path: string): Steps<FieldError[]> {
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
  yield* visit(schema, path, { check, pace: new Pace() });
  return errors;
}

interface Visit {
  readonly check: (pattern: string, at: string) => void;
  readonly pace: Pace;
}

function* visit(schema: JsonSchema, path: string, context: Visit): Steps<void> {
  if (context.pace.isDue) yield;
  const { pattern, properties, not } = schema;
  if (pattern) {
    context.check(pattern, `${path}.pattern`);
    // To compile one takes as long as hundreds of other steps.
    yield;
  }
  if (properties !== undefined)
    for (const name of Object.keys(properties))
      yield* visit(properties[name] as JsonSchema, `${path}.properties[${name}]`, context); // by its own name
  for (const choice of choices) {
    const alternatives = schema[choice];
    if (alternatives === undefined) continue;
    for (const [index, inner] of alternatives.entries()) yield* visit(inner, `${path}.${choice}[${index}]`, context);
  }
  const [items, more] = [itemSchema(schema), additionalSchema(schema)];
  if (not !== undefined) yield* visit(not, `${path}.not`, context);
  if (items !== undefined) yield* visit(items, `${path}.items`, context);
  if (more !== undefined) yield* visit(more, `${path}.additionalProperties`, context);
}

const choices = ["anyOf", "allOf", "oneOf"] as const;
