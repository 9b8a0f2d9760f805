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
  return byName[name];
}
