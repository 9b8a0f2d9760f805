/** What the standards of a level and version say about a pod. */

import { isSince } from "../../base/release.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { baselineChecks } from "./baseline-checks.ts";
import type { CheckedPod, CheckedSpec, CheckForm, StandardLevel, Violation } from "./contract.ts";
import { type LevelVersion, releaseOf } from "./policy.ts";
import { restrictedChecks } from "./restricted-checks.ts";

export function checkedPod(
  { annotations = {}, spec }: { annotations?: Readonly<Record<string, string>> | undefined; spec: CheckedSpec },
  vocabulary: Vocabulary,
): CheckedPod {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec;
  return { annotations, spec, containers: [...initContainers, ...containers, ...ephemeralContainers], vocabulary };
}

const known = new Map<string, readonly CheckForm[]>();

/** The checks of a level in a version. There are few levels and versions, so the lists are kept. */
function formsOf({ level, version }: LevelVersion): readonly CheckForm[] {
  const key = `${level}:${version}`;
  let found = known.get(key);
  if (found === undefined) {
    found = chooseForms(level, version);
    if (known.size < keptListsMax) known.set(key, found);
  }
  return found;
}

/** Versions are labels of namespaces, so anyone may invent some. */
const keptListsMax = 200;

function chooseForms(level: StandardLevel, version: string): readonly CheckForm[] {
  if (level === "privileged") return [];
  const release = releaseOf(version);
  const applicable = [...baselineChecks, ...(level === "restricted" ? restrictedChecks : [])].flatMap((check) => {
    const form = check.forms.findLast(({ since }) => release === "latest" || isSince(release, since));
    return form === undefined ? [] : [{ check, form }];
  });
  const overridden = new Set(applicable.map(({ check }) => check.overrides));
  return applicable.filter(({ check }) => !overridden.has(check.id)).map(({ form }) => form);
}

export function violations(pod: CheckedPod, standard: LevelVersion): readonly Violation[] {
  return formsOf(standard).flatMap((form) => form.check(pod) ?? []);
}

export const describeViolations = (found: readonly Violation[]): string =>
  found.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
