/**
 * One line on standard error that shows the progress of a long operation; only on terminals, and cleared at the end.
 */

import type { Context } from "../context.ts";
import type { Sink } from "../environment.ts";
import { showControls } from "./terminal.ts";

/** Fewer objects than this need no progress line. */
const progressFrom = 10;

const clearLine = "\r\u001b[2K";

export class Progress {
  readonly #stderr: Sink;
  readonly #isShown: boolean;
  #isOpen = false;

  /** `count`: the number of steps; absent: one that may take long. */
  constructor({ environment: { stderr, env }, isQuiet }: Context, count = progressFrom) {
    this.#stderr = stderr;
    this.#isShown = stderr.isTerminal && env["TERM"] !== "dumb" && !isQuiet && count >= progressFrom;
  }

  show(line: string): void {
    if (!this.#isShown) return;
    const width = Math.max(20, (this.#stderr.columns ?? 80) - 1);
    this.#stderr.write(`${clearLine}${[...showControls(line)].slice(0, width).join("")}`);
    this.#isOpen = true;
  }

  /** Called before anything else is written to the terminal. */
  clear(): void {
    if (this.#isOpen) this.#stderr.write(clearLine);
    this.#isOpen = false;
  }
}
