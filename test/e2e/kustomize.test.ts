import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { writeTree } from "../../src/ctl/kustomize/build.suite.ts";
import { randomKustomization } from "../../src/ctl/kustomize/random-kustomization.suite.ts";
import { run } from "./programs.ts";

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
        const tree = writeTree(randomKustomization(seed));
        try {
          const theirs = await run(program, ["build", tree.folder]);
          const ours = await tree.build().then(
            ({ out }) => ({ out, refusal: undefined }),
            (error: unknown) => ({ out: "", refusal: error instanceof Error ? error.message : String(error) }),
          );
          if (theirs.code === 0) expect(ours).toEqual({ out: theirs.stdout, refusal: undefined });
          // It ends with 2 where it fails itself.
          else if (theirs.code === 1)
            expect(ours, theirs.stderr).toMatchObject({ out: "", refusal: expect.any(String) });
        } finally {
          tree.remove();
        }
      });
  });
