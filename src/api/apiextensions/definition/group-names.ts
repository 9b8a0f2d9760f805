/** The names that the definitions of one group hold, indexed by name. */

import type { DefinitionNames } from "../v1/definition-parts.ts";

type Names = Pick<DefinitionNames, "plural" | "singular" | "shortNames" | "kind" | "listKind">;

/** Names that are in use. */
export interface TakenNames {
  /** As plural, singular or short name. */
  hasResource(name: string): boolean;
  /** As kind or kind of lists. */
  hasKind(name: string): boolean;
}

export class GroupNames {
  readonly #resources = new Map<string, Set<string>>();
  readonly #kinds = new Map<string, Set<string>>();
  readonly #held = new Map<string, Names>();

  /** Replaces the names that the definition held before. */
  hold(definition: string, names: Names): void {
    this.release(definition);
    this.#held.set(definition, names);
    for (const name of resourcesOf(names)) add(this.#resources, name, definition);
    for (const name of kindsOf(names)) add(this.#kinds, name, definition);
  }

  release(definition: string): void {
    const names = this.#held.get(definition);
    if (names === undefined) return;
    this.#held.delete(definition);
    for (const name of resourcesOf(names)) remove(this.#resources, name, definition);
    for (const name of kindsOf(names)) remove(this.#kinds, name, definition);
  }

  /** By others than the definition. */
  takenBeside(definition: string): TakenNames {
    const isTaken = (holders: ReadonlySet<string> | undefined) =>
      holders !== undefined && holders.size > (holders.has(definition) ? 1 : 0);
    return {
      hasResource: (name) => isTaken(this.#resources.get(name)),
      hasKind: (name) => isTaken(this.#kinds.get(name)),
    };
  }
}

/** Collects the names that the given definitions have. */
export function takenBy(others: readonly Names[]): TakenNames {
  const group = new GroupNames();
  for (const [index, names] of others.entries()) group.hold(String(index), names);
  return group.takenBeside("");
}

const resourcesOf = ({ plural, singular = "", shortNames = [] }: Names): readonly string[] =>
  [...new Set([plural, singular, ...shortNames])].filter((name) => name !== "");
const kindsOf = ({ kind, listKind = "" }: Names): readonly string[] =>
  [...new Set([kind, listKind])].filter((name) => name !== "");

function add(index: Map<string, Set<string>>, name: string, definition: string): void {
  const holders = index.get(name) ?? new Set();
  index.set(name, holders.add(definition));
}

function remove(index: Map<string, Set<string>>, name: string, definition: string): void {
  const holders = index.get(name);
  holders?.delete(definition);
  if (holders?.size === 0) index.delete(name);
}
