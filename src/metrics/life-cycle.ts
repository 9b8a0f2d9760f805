/** The life of a metric: shown, then deprecated (its help says since when), then hidden, then removed. */

import type { MetricDeclaration } from "../base/metrics.ts";

export interface MetricRelease {
  readonly major: number;
  readonly minor: number;
}

/** How many releases after the one that deprecates it a metric is hidden. */
const releasesUntilHidden = { ALPHA: 1, STABLE: 3 } as const;

type MetricState = "shown" | "deprecated" | "hidden";

/** `showHiddenFor`: a release whose newly hidden metrics are shown once more; undefined: none. */
export function stateOf(
  { deprecated, stability = "ALPHA" }: Pick<MetricDeclaration, "deprecated" | "stability">,
  release: MetricRelease,
  showHiddenFor?: MetricRelease,
): MetricState {
  if (deprecated === undefined) return "shown";
  const since = parseRelease(deprecated);
  const ageOf = (at: MetricRelease) => (at.major - since.major) * 1_000 + at.minor - since.minor;
  if (ageOf(release) < 0) return "shown";
  if (ageOf(release) < releasesUntilHidden[stability]) return "deprecated";
  // Hidden since this release, so it was still there in the one before.
  if (showHiddenFor !== undefined && ageOf(showHiddenFor) < releasesUntilHidden[stability]) return "deprecated";
  return "hidden";
}

/** "[STABLE] (Deprecated since 1.22.0) Requests." */
export function helpOf({ help, stability, deprecated }: MetricDeclaration, state: MetricState): string {
  const level = stability === undefined ? "" : `[${stability}] `;
  return `${level}${state === "shown" ? "" : `(Deprecated since ${deprecated}) `}${help}`;
}

/** "1.22.0" or "1.22". */
export function parseRelease(text: string): MetricRelease {
  const [major = 0, minor = 0] = text.split(".").map(Number);
  return { major, minor };
}

/** Why --show-hidden-metrics-for-version cannot have this value; undefined: it can, or it was not given. */
export function hiddenVersionProblem(value: string, { major, minor }: MetricRelease): string | undefined {
  const previous = `${major}.${minor - 1}`;
  if (value === "" || value === previous) return undefined;
  return `--show-hidden-metrics-for-version must be omitted or have the value '${previous}'. Only the previous minor version is allowed`;
}
