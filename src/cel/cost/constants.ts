/** What operations cost; a unit is about 50 nanoseconds of the reference server. */

export const selectCost = 1;
export const listCost = 10;
export const mapCost = 30;
export const structCost = 40;
/** For each character of a text that is read. */
export const traversalFactor = 0.1;
/** For each character of a pattern. */
export const patternFactor = 0.25;
/** An expression can afford two authorization checks. */
export const authorizationCost = 350_000;
/** Patterns of formats are taken to be this long. */
export const formatPatternChars = 128;
