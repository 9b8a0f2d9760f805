/** What kustomize and `ctl kustomize` make of the same random tree. */

import { writeTree } from "../../src/ctl/kustomize/build.suite.ts";
import { randomKustomization } from "../../src/ctl/kustomize/random-kustomization.suite.ts";
import { run } from "./programs.ts";

interface Outcome {
  readonly out: string;
  /** Undefined: it was built. */
  readonly refusal: string | undefined;
}

interface Outcomes {
  /** Undefined: the program itself failed. */
  readonly theirs: Outcome | undefined;
  readonly ours: Outcome;
}

export async function kustomizeOutcomes(program: string, seed: number): Promise<Outcomes> {
  const tree = writeTree(randomKustomization(seed));
  try {
    const { code, stdout, stderr } = await run(program, ["build", tree.folder]);
    const ours = await tree.build().then(
      ({ out }) => ({ out, refusal: undefined }),
      (error: unknown) => ({ out: "", refusal: error instanceof Error ? error.message : String(error) }),
    );
    // It ends with 2 where it fails itself.
    if (code !== 0 && code !== 1) return { theirs: undefined, ours };
    return { theirs: code === 0 ? { out: stdout, refusal: undefined } : { out: "", refusal: stderr }, ours };
  } finally {
    tree.remove();
  }
}

/** Reasons of refusals are told in other words. */
export const isSameOutcome = ({ theirs, ours }: Outcomes): boolean =>
  theirs === undefined || (theirs.out === ours.out && (theirs.refusal === undefined) === (ours.refusal === undefined));
