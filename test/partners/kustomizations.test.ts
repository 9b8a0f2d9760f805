import { describe, expect, it } from "vitest";
import { isSameOutcome, kustomizeOutcomes } from "../e2e/kustomize-outcomes.ts";
import { seededQuestions } from "./compare.ts";
import { kustomize, whyNoPartners } from "./partner.ts";

/** As many as a failure shows: one cause has many examples. */
const shownMax = 5;

describe.skipIf(whyNoPartners !== undefined)(`kustomizations as kustomize builds them ${whyNoPartners ?? ""}`, () => {
  it("prints the same resources for random trees, or refuses them too", async () => {
    const found: unknown[] = [];
    for (const seed of seededQuestions((number) => number >>> 0, 100)) {
      const outcomes = await kustomizeOutcomes(kustomize, seed);
      if (!isSameOutcome(outcomes)) found.push({ seed, ...outcomes });
      if (found.length === shownMax) break;
    }
    expect(found).toEqual([]);
  });
});
