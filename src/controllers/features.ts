/**
 * What controllers do at some levels only, where no feature gate of both levels says it. No other file of this room names a
 * release: a controller asks `context.has("orderedDeletion")`, and says of itself since when it exists.
 */

import type { Span } from "../base/release.ts";

export const features = {
  /** Jobs: conditions announce how a job will end, before its last pod has. */
  announcedEnds: { since: "1.32" },
  /** StatefulSets: replicas that have been ready for `minReadySeconds` are counted. */
  availableReplicas: { since: "1.22" },
} as const satisfies Record<string, Span>;

export type Feature = keyof typeof features;
