/** How much a selector may ask for. Beyond it the answer is a bad request, before anything is matched. */

import { badRequest } from "../status/status.ts";

/** Characters of a selector as text. */
export const selectorCharsMax = 64 * 1024;
/** Terms of one selector: each of them is looked at for every object. */
export const selectorTermsMax = 1000;

export function checkSelectorLength(text: string): void {
  if (text.length > selectorCharsMax) {
    throw badRequest(`a selector may have at most ${selectorCharsMax} characters, this one has ${text.length}`);
  }
}

export function checkSelectorTerms(count: number): void {
  if (count > selectorTermsMax) throw badRequest(`a selector may have at most ${selectorTermsMax} terms`);
}
