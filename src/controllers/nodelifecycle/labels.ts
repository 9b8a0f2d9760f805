/** Labels that nodes carry under an older name too. */

import type { Node } from "../../api/core/v1/node.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

const olderNames: Readonly<Record<string, string>> = {
  "orch.io/os": "beta.orch.io/os",
  "orch.io/arch": "beta.orch.io/arch",
};

/** The corrected older labels; undefined: nothing changes. */
export function olderLabels(
  { metadata: { labels = {} } }: Node,
  vocabulary: Vocabulary,
): Record<string, string> | undefined {
  const wanted: Record<string, string> = {};
  for (const [name, older] of Object.entries(olderNames)) {
    const value = labels[vocabulary.word(name)];
    if (value !== undefined && labels[vocabulary.word(older)] !== value) wanted[vocabulary.word(older)] = value;
  }
  return Object.keys(wanted).length === 0 ? undefined : wanted;
}
