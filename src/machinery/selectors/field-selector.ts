/** Field selectors: "metadata.name=a,status.phase!=Running", with \\ \, and \= for what would end a value. */

import { badRequest } from "../status/status.ts";
import { checkSelectorLength, checkSelectorTerms, shown } from "./limits.ts";

interface FieldRequirement {
  readonly path: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/**
 * All requirements must be met; the registry decides by which paths a kind can be selected. The empty text selects everything,
 * and so do empty terms ("a=b,"). Throws a badRequest.
 */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  checkSelectorLength(text);
  const terms = splitTerms(text).filter((term) => term !== "");
  checkSelectorTerms(terms.length);
  // A term of only an operator has no effect, as in v1.21.
  return terms.map(readTerm).filter(({ path, value }) => path !== "" || value !== "");
}

/** Splits at commas without a backslash before them. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === ",") {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function readTerm(term: string): FieldRequirement {
  const at = term.search(/!=|=/);
  if (at < 0) throw badRequest(`field selector: ${shown(term)} has no operator: = or !=`);
  const path = term.slice(0, at);
  if (term[at] === "!") return { path, operator: "!=", value: unescapeFieldValue(term.slice(at + 2), term) };
  return { path, operator: "=", value: unescapeFieldValue(term.slice(at + (term[at + 1] === "=" ? 2 : 1)), term) };
}

function unescapeFieldValue(text: string, term: string): string {
  let value = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string; // within bounds
    if (character === "\\") {
      const escaped = text[++at];
      if (escaped !== "\\" && escaped !== "," && escaped !== "=") {
        throw badRequest(`field selector: in ${shown(term)} a backslash stands before neither \\ nor , nor =`);
      }
      value += escaped;
    } else if (character === "=") {
      throw badRequest(`field selector: in ${shown(term)} the = of the value needs a backslash before it`);
    } else value += character;
  }
  return value;
}
