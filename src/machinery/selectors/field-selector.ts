/** Field selectors: "metadata.name=a,status.phase!=Running", with \\ \, and \= for what would end a value. */

import { badRequest } from "../status/status.ts";
import { checkSelectorLength, checkSelectorTerms, shown } from "./limits.ts";

export interface FieldRequirement {
  readonly path: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** All requirements must be met. The registry decides by which paths a kind can be selected. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly empty: boolean;
  /** A missing field counts as the empty text. */
  matches(fields: ReadonlyMap<string, string>): boolean;
  /** The one value that `path` must have; undefined: it may have several. */
  exactValue(path: string): string | undefined;
  /** As text that parses to the same selector. */
  toString(): string;
}

/** The empty text selects everything, and so do empty terms ("a=b,"). Throws a badRequest. */
export function parseFieldSelector(text: string): FieldSelector {
  checkSelectorLength(text);
  const terms = splitTerms(text).filter((term) => term !== "");
  checkSelectorTerms(terms.length);
  // A term of only an operator has no effect, as in v1.21.
  return createFieldSelector(terms.map(readTerm).filter(({ path, value }) => path !== "" || value !== ""));
}

export function createFieldSelector(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    requirements,
    empty: requirements.length === 0,
    matches: (fields) => requirements.every((each) => isMet(each, fields.get(each.path) ?? "")),
    exactValue: (path) => requirements.find((each) => each.path === path && each.operator === "=")?.value,
    toString: () => requirements.map((each) => `${each.path}${each.operator}${escapeFieldValue(each.value)}`).join(","),
  };
}

function isMet({ operator, value }: FieldRequirement, actual: string): boolean {
  return operator === "=" ? actual === value : actual !== value;
}

function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
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
