/** The history of every feature gate, and what follows from it for one release. */

import { compareReleases, isSince, type Release } from "../../base/release.ts";
import { gatesAToD } from "./a-d.ts";
import { gatesEToK } from "./e-k.ts";
import { gatesLToR } from "./l-r.ts";
import { gatesSToZ } from "./s-z.ts";
import { type GateHistories, type GateHistory, type GateState, gone } from "./stages.ts";

export const gateHistories: GateHistories = { ...gatesAToD, ...gatesEToK, ...gatesLToR, ...gatesSToZ };

/** The gate in a release; undefined: the release does not know it. */
export function gateAt(release: Release, history: GateHistory): GateState | undefined {
  const last = stepsUntil(release, history).at(-1);
  return last === gone ? undefined : last;
}

/**
 * Whether a release has the feature unless an operator says otherwise. A gate that has gone leaves its last default: a feature that was on
 * has become a fixed part of the server, any other was given up.
 */
export function isOnIn(release: Release, history: GateHistory): boolean {
  const last = stepsUntil(release, history).findLast((step) => step !== gone);
  return last?.enabled ?? false;
}

function stepsUntil(release: Release, history: GateHistory): readonly (GateState | typeof gone)[] {
  const passed = (Object.keys(history) as Release[]).filter((at) => isSince(release, at)).sort(compareReleases);
  return passed.flatMap((at) => history[at] ?? []);
}
