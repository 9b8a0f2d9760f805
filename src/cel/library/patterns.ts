/** Searches with regular expressions. */

import { int, listOf, string } from "../types/types.ts";
import { findAllIn, findIn } from "../values/patterns.ts";
import { declare, type EstimatedCall, type FunctionDeclaration, member } from "./declaration.ts";
import { patternCosts } from "./string-costs.ts";

/** At worst each character is a match. */
const findCosts = {
  ...patternCosts,
  estimate: (call: EstimatedCall) => ({
    ...patternCosts.estimate(call),
    size: { min: 0, max: call.args[0]!.size.max },
  }),
};

export const patterns: readonly FunctionDeclaration[] = [
  declare(
    "find",
    "1.23",
    member(
      [string, string],
      string,
      ([text, pattern], meter) => findIn(text as string, pattern as string, meter),
      findCosts,
    ),
  ),
  declare(
    "findAll",
    "1.23",
    member(
      [string, string],
      listOf(string),
      ([text, pattern], meter) => findAllIn(text as string, pattern as string, -1n, meter),
      findCosts,
    ),
    member(
      [string, string, int],
      listOf(string),
      ([text, pattern, limit], meter) => findAllIn(text as string, pattern as string, limit as bigint, meter),
      findCosts,
    ),
  ),
];
