/** All vocabularies, by the name that --vocabulary takes. */

import { kubernetes } from "./kubernetes.ts";
import { orch } from "./orch.ts";
import type { Vocabulary } from "./vocabulary.ts";

export const vocabularies: readonly Vocabulary[] = [orch, kubernetes];

/** Undefined: there is no vocabulary of that name. */
export function vocabularyByName(name: string): Vocabulary | undefined {
  return vocabularies.find((vocabulary) => vocabulary.name === name);
}
