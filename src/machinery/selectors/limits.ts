/** The limits of a selector. Beyond them the answer is a bad request, before anything is matched. */

import { badRequest } from "../status/status.ts";

/** Characters of a selector as text. */
export const selectorCharsMax = 64 * 1024;
/** Terms of one selector: each of them is checked for every object. */
export const selectorTermsMax = 1000;

/** Characters of a part of a selector that a message repeats. */
const shownCharsMax = 64;

export function checkSelectorLength(text: string): void {
  if (text.length > selectorCharsMax) {
    throw badRequest(`a selector may have at most ${selectorCharsMax} characters, this one has ${text.length}`);
  }
}

export function checkSelectorTerms(count: number): void {
  if (count > selectorTermsMax) throw badRequest(`a selector may have at most ${selectorTermsMax} terms`);
}

/** A part of a selector as messages show it. */
export function shown(text: string): string {
  return JSON.stringify(text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text);
}
