import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { isSameOutcome, kustomizeOutcomes } from "./kustomize-outcomes.ts";

/** Kustomize 5: the one that KUSTOMIZE names, or that of the path. */
const program = process.env["KUSTOMIZE"] ?? "kustomize";
const trees = 60;

function problem(): string | undefined {
  let version: string;
  try {
    version = execFileSync(program, ["version"], {
      encoding: "utf8",
      timeout: 30_000,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return "kustomize is missing";
  }
  // Distributions build it without a number.
  return /\(devel\)|v?([5-9]|\d\d)\.\d/.test(version) ? undefined : `it is ${version.trim()}`;
}

const why = problem();

/** No package of a stable distribution has it yet, so that it may be missing under CI too. */
if (why !== undefined)
  test.skip(`ctl kustomize beside kustomize 5: skipped, because ${why}; KUSTOMIZE names the program`, () => {});
else
  describe("ctl kustomize prints what kustomize 5 prints", { timeout: 300_000 }, () => {
    for (let seed = 0; seed < trees; seed++)
      test(`for the random tree ${seed}`, async () => {
        const outcomes = await kustomizeOutcomes(program, seed);
        expect(isSameOutcome(outcomes), JSON.stringify(outcomes)).toBe(true);
      });
  });
