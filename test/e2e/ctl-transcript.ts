/** Command lines that follow each other, each with what it must print: a session of `ctl` under the name kubectl, as a test. */

import { expect } from "vitest";
import type { RunOptions, Session } from "../../src/ctl/session.suite.ts";

export interface Step extends RunOptions {
  /** A line as a shell reads it: words may be quoted. */
  readonly run: string;
  /** What standard output must be, or hold. Absent: not looked at. */
  readonly out?: string | RegExp;
  /** The same for standard error; absent: nothing may stand there if the command succeeds. */
  readonly err?: string | RegExp;
  /** Default: 0. */
  readonly code?: number;
}

export async function follow(session: Session, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    const { run, out, err, code = 0, ...options } = step;
    const outcome = await session.run(wordsOf(run), options);
    const shown = { run, code: outcome.code, out: outcome.out, err: outcome.err };
    expect(shown, run).toMatchObject({ run, code });
    if (typeof out === "string") expect(shown, run).toMatchObject({ out });
    else if (out !== undefined) expect(outcome.out, run).toMatch(out);
    if (typeof err === "string") expect(shown, run).toMatchObject({ err });
    else if (err !== undefined) expect(outcome.err, run).toMatch(err);
    else if (code === 0) expect(shown, run).toMatchObject({ err: "" });
  }
}

/** Repeats a command until its output is as wanted: controllers need a moment. */
export async function eventually(session: Session, run: string, wanted: string | RegExp): Promise<void> {
  await expect
    .poll(async () => (await session.run(wordsOf(run))).out, { interval: 100 })
    .toEqual(typeof wanted === "string" ? wanted : expect.stringMatching(wanted));
}

/** Cuts at spaces, but not inside of quotes. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"']+|"(?:[^"\\]|\\.)*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
      double === undefined ? (single ?? "") : double.replaceAll(/\\(["\\$`])/g, "$1"),
    ),
  );
}
