/** Feature gates: the features that an operator may turn on and off at a level, with their defaults. */

import type { Release } from "../base/release.ts";
import { didYouMean } from "../base/suggest.ts";
import type { FeatureGates } from "../machinery/schema/gates.ts";
import { gatesWithEffect } from "../machinery/schema/gates.ts";
import { levelDefault } from "../machinery/schema/levels.ts";
import { gateAt, gateHistories, isOnIn } from "./gates/histories.ts";
import { alpha, betaOff, type GateHistories, type GateState } from "./gates/stages.ts";

interface FeatureGate extends GateState {
  readonly name: string;
}

/** What follows from the histories for one release; made once, because every server and every fork asks. */
interface GatesOfRelease {
  /** All gates that it knows, by name. */
  readonly listed: readonly FeatureGate[];
  /** Features that are a fixed part of it, or were given up: their gates have gone. */
  readonly fixed: readonly (readonly [name: string, isOn: boolean])[];
}

const made = new WeakMap<GateHistories, Map<Release, GatesOfRelease>>();

function gatesOf(release: Release, histories: GateHistories): GatesOfRelease {
  const known = made.get(histories) ?? new Map<Release, GatesOfRelease>();
  made.set(histories, known);
  const found = known.get(release) ?? listGates(release, histories);
  known.set(release, found);
  return found;
}

function listGates(release: Release, histories: GateHistories): GatesOfRelease {
  const rows = Object.entries(histories).map(([name, history]) => ({ name, history, at: gateAt(release, history) }));
  const listed = [
    { name: "AllAlpha", ...alpha },
    { name: "AllBeta", ...betaOff },
    ...rows.flatMap(({ name, at }) => (at === undefined ? [] : [{ name, ...at }])),
  ];
  return {
    listed: listed.sort((a, b) => (a.name < b.name ? -1 : 1)),
    fixed: rows.flatMap(({ name, history, at }) => (at === undefined ? [[name, isOnIn(release, history)]] : [])),
  };
}

/** All gates of a release with their defaults, by name. */
export const featureGatesOf = (release: Release, histories = gateHistories): readonly FeatureGate[] =>
  gatesOf(release, histories).listed;

/**
 * `overrides` wins over everything. AllAlpha and AllBeta set all gates of their stage that it does not name. A gate that the
 * release does not know is off, unless it is overridden, or had become a fixed part of the server before.
 */
export function createFeatureGates(
  overrides: ReadonlyMap<string, boolean>,
  release: Release = levelDefault,
  histories = gateHistories,
): FeatureGates {
  const { listed, fixed } = gatesOf(release, histories);
  const state = new Map(fixed);
  for (const { name, stage, enabled } of listed) state.set(name, ofStage(overrides, stage) ?? enabled);
  for (const [name, enabled] of overrides) state.set(name, enabled);
  return { enabled: (name) => state.get(name) ?? false };
}

function ofStage(overrides: ReadonlyMap<string, boolean>, stage: GateState["stage"]): boolean | undefined {
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
export function checkFeatureGates(
  overrides: ReadonlyMap<string, boolean>,
  release: Release = levelDefault,
): GateFindings {
  if (overrides.size === 0) return { problems: [], warnings: [] };
  const known = new Map(featureGatesOf(release).map((one) => [one.name, one]));
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
