/** Names of properties as expressions write them: `a.b-c` is `a__dot__b__dash__c`, `namespace` is `__namespace__`. */

import { reservedWords } from "../syntax/reserved-words.ts";

/** Words that are part of the language wherever they stand. */
const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

const escapes: ReadonlyMap<string, string> = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);

/** All names under which expressions select a property; none if it has a character that cannot be written. */
export function fieldNames(property: string): readonly string[] {
  if (keywords.has(property)) return [`__${property}__`];
  if (reservedWords.has(property)) return [`__${property}__`, property];
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(property)) return [];
  return [property.replace(/__|[./-]/g, (part) => escapes.get(part) ?? part)];
}

const unescapes: ReadonlyMap<string, string> = new Map([...escapes].map(([part, escaped]) => [escaped, part]));

/** The property that expressions select under this name; undefined: none can have it. */
export function propertyNamed(field: string): string | undefined {
  const word = /^__([a-z]+)__$/.exec(field)?.[1] ?? "";
  const property =
    keywords.has(word) || reservedWords.has(word)
      ? word
      : field.replace(/__(?:underscores|dot|dash|slash)__/g, (part) => unescapes.get(part) ?? part);
  return fieldNames(property).includes(field) ? property : undefined;
}
