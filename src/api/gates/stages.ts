/** The stages of feature gates, as the rows of the tables beside this file name them. */

import type { Release } from "../../base/release.ts";

/** What a gate is in a release, and until another release changes it. */
export interface GateState {
  readonly stage: "ALPHA" | "BETA" | "GA" | "DEPRECATED";
  /** Its default. */
  readonly enabled: boolean;
  /** Whether it can no longer be changed. */
  readonly locked: boolean;
}

/** By each gate, what releases made of it, the earliest first; "gone": the release no longer knows it. 1.21 stands for all before, too. */
export type GateHistories = Readonly<Record<string, GateHistory>>;
export type GateHistory = Readonly<Partial<Record<Release, GateState | typeof gone>>>;

export const gone = "gone";

const state = (stage: GateState["stage"], enabled: boolean, locked = false): GateState => ({ stage, enabled, locked });

export const alpha = state("ALPHA", false);
/** One gate of all is alpha and on. */
export const alphaOn = state("ALPHA", true);
export const betaOn = state("BETA", true);
export const betaOff = state("BETA", false);
/** Generally available, but not locked yet. */
export const general = state("GA", true);
/** Generally available, cannot be changed, and removed in one of the next releases. */
export const locked = state("GA", true, true);
/** Cannot be turned on again. */
export const lockedOff = state("GA", false, true);
export const deprecatedOn = state("DEPRECATED", true);
export const deprecatedOff = state("DEPRECATED", false);
export const deprecatedLockedOn = state("DEPRECATED", true, true);
export const deprecatedLockedOff = state("DEPRECATED", false, true);
