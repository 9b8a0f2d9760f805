/** What an expression may cost: its text, its nesting, its estimate, and its evaluation. */

/** A longer text is refused before it is parsed. */
export const expressionCharsMax = 100_000;
/** Brackets, arguments and conditionals within each other, and operators, members and calls, also those of chains such as `a == b == c` or `a.b.c`. */
export const nestingMax = 250;
/** Levels of the syntax tree; chains within each other are deep as well. */
export const treeDepthMax = 500;
/** Tokens that are read in one step; a text of the largest size has up to fifty times as many. */
export const tokensOfStep = 2_000;
/** Parts of the syntax tree after macros are expanded: checking them is one step, of some tens of milliseconds in a process that has just started. */
export const treeNodesMax = 5_000;
/** Types that the type of an expression consists of: lists of lists of maps. Each loop may double it, and checking it takes as long. */
export const typePartsMax = 300;
/** Steps of all patterns that are written in one expression; making one takes some microseconds. */
export const expressionPatternStepsMax = 5_000;
/** Characters of all rules of one version of a definition; compiling that many takes a second, in time slices. */
export const definitionRuleCharsMax = 1_000_000;
/** Problems that are reported for one expression. */
export const problemsMax = 100;

/** The cost that one evaluation of one expression may have. */
export const callCostMax = 1_000_000;
/** The cost of all rules of one object, or of one policy, in one request. */
export const requestCostMax = 10_000_000;
/** The cost of all match conditions of one webhook or policy in one request. */
export const matchConditionsCostMax = 2_500_000;
/** The cost that one rule of a definition may be estimated to have, for all places where it applies. */
export const ruleEstimateMax = 10_000_000;
/** The estimated cost of all rules of one version of a definition. */
export const definitionEstimateMax = 100_000_000;
/** Estimates assume that no value is larger than a request may be. */
export const requestBytesMax = 3 * 1024 * 1024;

/**
 * Work that costs do not show: characters counted, items compared. Some cheap functions are linear in their arguments, so an expression could
 * run for seconds within its cost. A unit takes about 20 nanoseconds.
 */
export const evaluationWorkMax = 1_000_000;
/**
 * Cost, and work, that an evaluation may have in one go. One that has more begins again and is interrupted in between: that makes each part of it
 * slower, and most evaluations are far below. The slowest functions take a microsecond for a unit of cost.
 */
export const quickCostMax = 10_000;
/** Items of lists, or entries of maps, that one call may read or make: a call cannot be interrupted. */
export const callItemsMax = 250_000;
/** Cost and work after which an evaluation in steps may be interrupted: some milliseconds at most. */
export const costOfStep = 5_000;
/** Parts of an expression without loops that are evaluated in one step. */
export const partsOfStep = 64;
