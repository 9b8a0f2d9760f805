/** What the language itself does at some releases only. Functions, overloads and macros have their dates in their declarations. */

import { isSince, type Release } from "../base/release.ts";

const dates = {
  /** Reserved words need no escape after a dot: `self.namespace`, which was `self.__namespace__` alone. */
  plainReservedWords: "1.31",
  /** Half of a surrogate pair ("\ud800") is refused; earlier releases read it as U+FFFD. */
  strictCodePoints: "1.34",
  /** Estimates: the result of `map` and `filter` is as long as what they go through. */
  comprehensionSizes: "1.29",
  /** Estimates: two values of a library, such as URLs, are compared at a constant cost; before, URLs were as long as anything. */
  opaqueEquality: "1.30",
} as const satisfies Record<string, Release>;

export type LanguagePart = keyof typeof dates;

export const hasPart = (release: Release, part: LanguagePart): boolean => isSince(release, dates[part]);
