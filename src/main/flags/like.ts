/** The one word for what a server is like to its clients: the names it speaks, and the release whose API it serves. */

import { choice, type Flag } from "../../base/flags/flag.ts";
import { type Level, levels, newestLevel } from "../../machinery/schema/levels.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

export type Like = `${Vocabulary["name"]}-${Level}`;

/** What most people need comes first: the names that existing clients know, and the newest level. */
export const likes: readonly Like[] = [...likesOf("kubernetes"), ...likesOf("orch")];

export function likeOf(vocabulary: Vocabulary["name"], level: Level): Like {
  return `${vocabulary}-${level}`;
}

export function likesOf(vocabulary: Vocabulary["name"]): Like[] {
  const others = levels.toReversed().filter((level) => level !== newestLevel);
  return [newestLevel, ...others].map((level) => likeOf(vocabulary, level));
}

/** Undefined: it is none of the words. */
export function meaningOf(
  like: string,
): { readonly vocabulary: Vocabulary["name"]; readonly emulatedVersion: Level } | undefined {
  for (const vocabulary of ["kubernetes", "orch"] as const)
    for (const emulatedVersion of levels)
      if (likeOf(vocabulary, emulatedVersion) === like) return { vocabulary, emulatedVersion };
  return undefined;
}

/** For tables that have --vocabulary and --emulated-version too, for those who need only one of them. */
export const likeFlag: Flag<Like | ""> = choice(
  ["", ...likes],
  "what the server is like to its clients: --vocabulary and --emulated-version in one word",
  "",
  {
    implies(like) {
      const meaning = meaningOf(like);
      return meaning === undefined
        ? {}
        : { vocabulary: meaning.vocabulary, "emulated-version": meaning.emulatedVersion };
    },
  },
);
