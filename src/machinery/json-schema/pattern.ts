/**
 * Patterns of users, always matched in linear time. Linear time can still be long, so there are limits on
 * the length of a pattern and on the cost of matching one text.
 */

import { createRequire } from "node:module";
import type { RE2JS } from "re2js";
import { onFirstUse } from "../../base/first-use.ts";
import { patternSteps } from "./pattern-steps.ts";

/** A longer pattern is refused. */
export const patternCharsMax = 16 * 1024;
/** A pattern that becomes larger when it is compiled is refused: each step takes some microseconds and 300 bytes. */
export const patternStepsMax = 20_000;
/** Steps of all patterns of one schema. Beyond it, patterns are refused one by one. */
export const schemaPatternStepsMax = 50_000;
/** Steps of the compiled pattern times characters of the text. Beyond it a text does not match, so that no request waits for it. */
export const patternWorkMax = 10_000_000;
/** Steps of all patterns that are kept compiled; a full cache is emptied. */
export const keptPatternStepsMax = 100_000;

/** Patterns that were compiled, or what is wrong with them, and the steps of all of them. */
class PatternCache {
  readonly #compiled = new Map<string, RE2JS | string>();
  #steps = 0;

  get(pattern: string): RE2JS | string | undefined {
    return this.#compiled.get(pattern);
  }

  add(pattern: string, made: RE2JS | string, steps: number): void {
    if (this.#steps + steps > keptPatternStepsMax) {
      this.#compiled.clear();
      this.#steps = 0;
    }
    this.#compiled.set(pattern, made);
    this.#steps += steps + 1; // an empty one costs something as well
  }
}
const compiled = new PatternCache();

/** Whether the pattern matches somewhere in the text; an invalid pattern matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  const made = compilePattern(pattern);
  if (typeof made === "string" || made.programSize() * text.length > patternWorkMax) return false;
  return made.test(text);
}

/** Why a text is not a valid pattern; undefined: it is. */
export function patternProblem(pattern: string): string | undefined {
  const made = compilePattern(pattern);
  return typeof made === "string" ? made : undefined;
}

/** The pattern, or what is wrong with it. */
export function compilePattern(pattern: string): RE2JS | string {
  if (pattern.length > patternCharsMax) return `a pattern may have at most ${patternCharsMax} characters`;
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const steps = patternSteps(pattern);
  if (steps > patternStepsMax) return `a pattern may have at most ${patternStepsMax} steps, with all that it repeats`;
  let made: RE2JS | string;
  try {
    made = library().compile(pattern);
  } catch (error) {
    made = error instanceof Error ? error.message : "not a pattern";
  }
  compiled.add(pattern, made, steps);
  return made;
}

/** Most servers never see a pattern, so a start does not wait for the library. */
const library = onFirstUse(
  // The package is a direct dependency, and its version matches its types.
  () => (createRequire(import.meta.url)("re2js") as { RE2JS: typeof RE2JS }).RE2JS,
);
