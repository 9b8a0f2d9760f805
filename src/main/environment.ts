/** What declarations may know about their server: names, gates, the clock and randomness. */

import { randomInt, randomUUID } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { Release } from "../base/release.ts";
import type { Environment } from "../machinery/schema/environment.ts";
import { hasAt } from "../machinery/schema/features.ts";
import { atLevel } from "../machinery/schema/field-level.ts";
import type { FeatureGates } from "../machinery/schema/gates.ts";
import { levelDefault } from "../machinery/schema/levels.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

/** Letters and digits that do not form words and are not confused with each other. */
const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";

interface EnvironmentOptions {
  readonly vocabulary: Vocabulary;
  readonly gates: FeatureGates;
  readonly clock: Clock;
  readonly allowPrivileged: boolean;
  /** Default: that of the specification. */
  readonly level?: Release | undefined;
  /** An integer from 0 up to, not including, `below`; absent: unpredictable ones. */
  readonly random?: ((below: number) => number) | undefined;
}

export function createEnvironment(options: EnvironmentOptions): Environment {
  const {
    vocabulary,
    gates,
    clock,
    allowPrivileged,
    level = levelDefault,
    random = (below) => randomInt(below),
  } = options;
  return {
    vocabulary,
    gates,
    clock,
    allowPrivileged,
    level,
    since: atLevel(level).since,
    has: hasAt(level),
    randomSuffix: (length) => Array.from({ length }, () => suffixAlphabet[random(suffixAlphabet.length)]).join(""),
    randomUid: options.random === undefined ? () => randomUUID() : () => seededUid(random),
  };
}

/** A UUID of version 4 from a given source, so that a run can be repeated. */
function seededUid(random: (below: number) => number): string {
  const hex = Array.from({ length: 32 }, () => random(16).toString(16));
  hex[12] = "4";
  hex[16] = "89ab"[random(4)] ?? "8";
  const text = hex.join("");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}
