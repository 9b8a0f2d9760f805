/** All vocabularies, by the name that --vocabulary takes. */

import { kubernetes } from "./kubernetes.ts";
import { orch } from "./orch.ts";
import type { Vocabulary } from "./vocabulary.ts";

const byName: Readonly<Record<Vocabulary["name"], Vocabulary>> = { orch, kubernetes };

export const vocabularies: readonly Vocabulary[] = Object.values(byName);

/** Undefined: there is no vocabulary of that name. */
export function vocabularyByName(name: string): Vocabulary | undefined {
  return vocabularies.find((vocabulary) => vocabulary.name === name);
}

export function vocabularyOf(name: Vocabulary["name"]): Vocabulary {
  // A program in JavaScript may name anything.
  if (!Object.hasOwn(byName, name))
    throw new Error(`vocabulary: must be ${Object.keys(byName).join(" or ")}, not ${JSON.stringify(name)}`);
  return byName[name];
}

/** For messages about a file whose group only another vocabulary has: " (…)" with the flag to set, or nothing. */
export function vocabularyHint(apiVersion: unknown, neutralGroup: string, spoken: string): string {
  const group = String(apiVersion).split("/")[0] ?? "";
  const other = vocabularies.find((one) => one.group(neutralGroup) === group && group !== spoken);
  return other === undefined ? "" : ` (${group} is a name of --vocabulary=${other.name})`;
}
