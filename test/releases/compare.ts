/** The differences between declarations and facts: one line for each, with the releases in which it is so. */

import type { Release } from "../../src/base/release.ts";
import { releases } from "./facts.ts";

export class Differences {
  /** By difference. */
  readonly #found = new Map<string, Release[]>();

  add(release: Release, difference: string): void {
    const known = this.#found.get(difference);
    if (known === undefined) this.#found.set(difference, [release]);
    else if (known.at(-1) !== release) known.push(release);
  }

  /** Adds one unless both are the same. */
  compare(release: Release, what: string, right: string | undefined, here: string | undefined): void {
    if (right !== here) this.add(release, `${what}: ${right ?? "absent"}, here ${here ?? "absent"}`);
  }

  /** What only one of two sets has. */
  compareSets(release: Release, what: string, right: Iterable<string>, here: Iterable<string>): void {
    const ours = new Set(here);
    const theirs = new Set(right);
    for (const each of theirs) if (!ours.has(each)) this.add(release, `${what}: lacks ${each}`);
    for (const each of ours) if (!theirs.has(each)) this.add(release, `${what}: should not have ${each}`);
  }

  lines(): readonly string[] {
    return [...this.#found].map(([difference, at]) => `${difference} (${spansOf(at)})`).sort();
  }
}

/** "1.21–1.24, 1.30". */
function spansOf(found: readonly Release[]): string {
  const spans: [Release, Release][] = [];
  for (const release of found) {
    const last = spans.at(-1);
    const isNext = last !== undefined && releases.indexOf(release as never) === releases.indexOf(last[1] as never) + 1;
    if (isNext) last[1] = release;
    else spans.push([release, release]);
  }
  return spans.map(([first, last]) => (first === last ? first : `${first}–${last}`)).join(", ");
}
