/** The vocabulary that a flag or option names; flags accept only names that exist. */

import assert from "node:assert";
import { vocabularyByName } from "../vocabulary/by-name.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

export function vocabularyOf(name: Vocabulary["name"]): Vocabulary {
  const vocabulary = vocabularyByName(name);
  assert(vocabulary, "every name of the type has its vocabulary");
  return vocabulary;
}
