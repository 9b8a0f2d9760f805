/** The environment of declarations in tests: nothing is random, and time stands still. */

import { createFeatureGates } from "../../api/feature-gates.ts";
import { createManualClock } from "../../base/clock.ts";
import { orch } from "../../vocabulary/orch.ts";
import type { Environment } from "./environment.ts";
import { hasAt } from "./features.ts";
import { atLevel } from "./field-level.ts";
import { levelDefault } from "./levels.ts";

/** The gates of v1.21, orch's names, the beginning of time; `given` overrides what a test needs to be different. */
export function plainEnvironment(given: Partial<Environment> = {}): Environment {
  const { level = levelDefault } = given;
  return {
    vocabulary: orch,
    level,
    since: atLevel(level).since,
    has: hasAt(level),
    gates: createFeatureGates(new Map()),
    clock: createManualClock(0),
    randomSuffix: (length) => "x".repeat(length),
    randomUid: () => "uid",
    allowPrivileged: false,
    ...given,
  };
}

/** Distinct uids, in sequence. */
export function uidsInOrder(): () => string {
  let serial = 0;
  return () => {
    serial += 1;
    return `00000000-0000-4000-8000-${String(serial).padStart(12, "0")}`;
  };
}
