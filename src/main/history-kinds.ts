/** `--history-kinds`: which kinds a history leaves out, and which it keeps for a shorter time. */

import { parseDuration } from "../base/duration.ts";

import type { FamilyId } from "../machinery/schema/identity.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { customFamily, familiesByName } from "./family-names.ts";

export interface HistoryKinds {
  /** Beside the fleeting ones. */
  readonly leftOut: ReadonlySet<FamilyId>;
  /** Of others: for how long their changes are kept, if the history goes back further. */
  readonly agesMs: ReadonlyMap<FamilyId, number>;
}

/** "-pods", "-deployments.apps", "pods=2h". Throws Error with what is wrong. */
export function historyKindsOf(given: readonly string[], vocabulary: Vocabulary): HistoryKinds {
  const names = familiesByName(vocabulary);
  const leftOut = new Set<FamilyId>();
  const agesMs = new Map<FamilyId, number>();
  for (const text of given) {
    const [, minus, name = "", age] = /^(-?)([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?:=(.+))?$/.exec(text) ?? [];
    const duration = age === undefined ? undefined : parseDuration(age);
    const isAge = minus === "" && duration !== undefined && duration > 0n;
    if (!isAge && (minus !== "-" || age !== undefined))
      throw new Error(
        `must be resources that are left out, like -pods or -widgets.example.com, or kept for a time, like pods=2h, not ${JSON.stringify(text)}`,
      );
    const known = names.get(name);
    // A definition may come later.
    if (known === undefined && !name.includes("."))
      throw new Error(
        `there is no resource "${name}"; one of a group is named like deployments.${vocabulary.group("apps")}`,
      );
    const family = known ?? customFamily(name);
    if (leftOut.has(family) || agesMs.has(family)) throw new Error(`names ${name} twice`);
    if (isAge) agesMs.set(family, Number(duration / 1_000_000n));
    else leftOut.add(family);
  }
  return { leftOut, agesMs };
}
