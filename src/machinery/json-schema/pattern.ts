/** Patterns that users give: in linear time, whatever they are. */

import { createRequire } from "node:module";
import type { RE2JS } from "re2js";

/** How many compiled patterns are kept; a full cache is emptied. */
export const patternsMax = 1000;
/** Longer patterns are compiled each time. */
export const keptPatternCharsMax = 1024;

const compiled = new Map<string, RE2JS | string>();

/** Whether the pattern matches somewhere in the text; a pattern that is none matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  const made = compile(pattern);
  return typeof made === "string" ? false : made.matcher(text).find();
}

/** What keeps a text from being a pattern; undefined: nothing. */
export function patternProblem(pattern: string): string | undefined {
  const made = compile(pattern);
  return typeof made === "string" ? made : undefined;
}

/** The pattern, or what is wrong with it. */
function compile(pattern: string): RE2JS | string {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  let made: RE2JS | string;
  try {
    made = library().compile(pattern);
  } catch (error) {
    made = error instanceof Error ? error.message : "not a pattern";
  }
  if (pattern.length <= keptPatternCharsMax) {
    if (compiled.size >= patternsMax) compiled.clear();
    compiled.set(pattern, made);
  }
  return made;
}

let loaded: typeof RE2JS | undefined;

/** Most servers never see a pattern, so a start does not wait for the library. */
function library(): typeof RE2JS {
  // The package is a dependency of ours, of the version that its types are of.
  loaded ??= (createRequire(import.meta.url)("re2js") as { RE2JS: typeof RE2JS }).RE2JS;
  return loaded;
}
