/** What is compiled from declarations for a level and a vocabulary: once for each pair, however many servers a process has. */

import type { Release } from "../../base/release.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { Environment } from "./environment.ts";

type Binding = Pick<Environment, "level" | "vocabulary">;

/** `compile` is called when a pair is first asked for. Most processes ask for one, so the last one is found without a search. */
export function compiled<T>(compile: (binding: Binding) => T): (binding: Binding) => T {
  const made = new Map<Release, Map<Vocabulary, T>>();
  let last: { readonly level: Release; readonly vocabulary: Vocabulary; readonly value: T } | undefined;
  return ({ level, vocabulary }) => {
    if (last !== undefined && last.level === level && last.vocabulary === vocabulary) return last.value;
    const ofLevel = made.get(level) ?? new Map<Vocabulary, T>();
    made.set(level, ofLevel);
    const known = ofLevel.has(vocabulary);
    const value = known ? (ofLevel.get(vocabulary) as T) : compile({ level, vocabulary }); // has() has said so
    if (!known) ofLevel.set(vocabulary, value);
    last = { level, vocabulary, value };
    return value;
  };
}
