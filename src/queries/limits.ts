/** What a question may cost. */

/** A longer expression is refused before it is parsed. */
export const whereCharsMax = 10_000;
/** What an expression may cost for one change of a watch: about a millisecond at most. */
export const watchCostMax = 1_000;
/** An expression of a watch counts as so many requirements of selectors. */
export const watchRequirements = 100;
/** Compiled expressions that are kept for each version of a kind. */
export const rememberedMax = 100;
/** Values that one term may name. */
export const termValuesMax = 1_000;
