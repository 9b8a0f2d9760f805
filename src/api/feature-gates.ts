/** Feature gates: the features that an operator may turn on and off at a level, with their defaults. */

import { didYouMean } from "../base/suggest.ts";
import type { FeatureGates } from "../machinery/schema/gates.ts";
import { gatesWithEffect } from "../machinery/schema/gates.ts";
import { type Level, levelDefault, levels } from "../machinery/schema/level.ts";
import { abandonedFeatures, gateLists } from "./feature-gate-lists.ts";

export interface FeatureGate {
  readonly name: string;
  readonly stage: "ALPHA" | "BETA" | "GA" | "DEPRECATED";
  readonly enabled: boolean;
  /** Whether it can no longer be changed. */
  readonly locked: boolean;
}

const gate =
  (stage: FeatureGate["stage"], enabled: boolean, isLocked = false) =>
  (name: string): FeatureGate => ({ name, stage, enabled, locked: isLocked });

const listed = new Map<Level, readonly FeatureGate[]>();

/** All gates of a level with their defaults, by name; listed once, because every server and every fork asks. */
export function featureGatesOf(level: Level): readonly FeatureGate[] {
  const known = listed.get(level) ?? listGates(level);
  listed.set(level, known);
  return known;
}

function listGates(level: Level): readonly FeatureGate[] {
  const { alpha, betaOn, betaOff, locked, general, lockedOff, deprecated } = gateLists[level];
  return [
    gate("ALPHA", false)("AllAlpha"),
    gate("BETA", false)("AllBeta"),
    ...alpha.map(gate("ALPHA", false)),
    ...betaOn.map(gate("BETA", true)),
    ...betaOff.map(gate("BETA", false)),
    ...locked.map(gate("GA", true, true)),
    ...general.map(gate("GA", true)),
    ...lockedOff.map(gate("GA", false, true)),
    ...deprecated.map(gate("DEPRECATED", true)),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * `overrides` wins over everything. AllAlpha and AllBeta set all gates of their stage that it does not name. A gate that
 * is not in the list is off, unless it is overridden; one that only an earlier level lists is on, unless the feature was given up.
 */
export function createFeatureGates(overrides: ReadonlyMap<string, boolean>, level: Level = levelDefault): FeatureGates {
  const state = new Map<string, boolean>();
  for (const earlier of levels.slice(0, levels.indexOf(level))) {
    for (const { name } of featureGatesOf(earlier)) state.set(name, !abandonedFeatures.has(name));
  }
  for (const { name, stage, enabled } of featureGatesOf(level)) state.set(name, ofStage(overrides, stage) ?? enabled);
  for (const [name, enabled] of overrides) state.set(name, enabled);
  return { enabled: (name) => state.get(name) ?? false };
}

function ofStage(overrides: ReadonlyMap<string, boolean>, stage: FeatureGate["stage"]): boolean | undefined {
  if (stage === "ALPHA") return overrides.get("AllAlpha");
  return stage === "BETA" ? overrides.get("AllBeta") : undefined;
}

interface GateFindings {
  /** Why a server must not start with these overrides, in the wording of v1.21. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

const effective: ReadonlySet<string> = new Set<string>(["AllAlpha", "AllBeta", ...gatesWithEffect]);

/** What is wrong with the overrides of an operator: unknown gates, locked ones, and those that will be removed. */
export function checkFeatureGates(overrides: ReadonlyMap<string, boolean>, level: Level = levelDefault): GateFindings {
  if (overrides.size === 0) return { problems: [], warnings: [] };
  const known = new Map(featureGatesOf(level).map((one) => [one.name, one]));
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const [name, value] of overrides) {
    const found = known.get(name);
    if (found === undefined) problems.push(`unrecognized feature gate: ${name}${didYouMean(name, known.keys())}`);
    else if (found.locked && found.enabled !== value)
      problems.push(`cannot set feature gate ${name} to ${value}, feature is locked to ${found.enabled}`);
    else if (found.stage === "GA" || found.stage === "DEPRECATED") {
      const stage = found.stage === "GA" ? "GA" : "deprecated";
      warnings.push(`Setting ${stage} feature gate ${name}=${value}. It will be removed in a future release.`);
    }
    if (found !== undefined && found.enabled !== value && !found.locked && !effective.has(name))
      warnings.push(`The feature gate ${name}=${value} is accepted but changes nothing here.`);
  }
  return { problems, warnings };
}
