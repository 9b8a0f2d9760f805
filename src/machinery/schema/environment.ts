/** What declared functions may know about their server. All of it is fixed when a server is constructed. */

import type { Clock } from "../../base/clock.ts";
import type { Release } from "../../base/release.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { Feature } from "./features.ts";
import type { FeatureGates } from "./gates.ts";

export interface Environment {
  readonly vocabulary: Vocabulary;
  readonly gates: FeatureGates;
  readonly clock: Clock;
  /** A random name suffix of `length` characters of the alphabet that generateName uses. */
  readonly randomSuffix: (length: number) => string;
  readonly randomUid: () => string;
  /** --allow-privileged. */
  readonly allowPrivileged: boolean;
  /** The release whose API the server serves; binding a catalog leaves what exists there. */
  readonly level: Release;
  /** Whether the engine does this at the level: `features.ts` says since when, and why. */
  has(feature: Feature): boolean;
  /** Whether the level is this release or a later one: for a rule that came or went. */
  since(release: Release): boolean;
}
