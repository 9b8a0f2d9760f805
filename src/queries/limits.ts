/** What a question may cost. */

/** A longer expression is refused before it is parsed. */
export const whereCharsMax = 10_000;
/** What an expression may cost for one change of a watch: about a millisecond at most. */
export const watchCostMax = 1_000;
/** Work that costs do not show, in units of about 20 nanoseconds, for one change of a watch. */
export const watchWorkMax = 20_000;
/** An expression of a watch counts as so many requirements of selectors, and each of its characters as one more: it stays compiled. */
export const watchRequirements = 1_000;
/** Characters of expressions that are kept compiled: one takes up to 700 bytes. */
export const rememberedCharsMax = 100_000;
/** Values that one term may name. */
export const termValuesMax = 1_000;
