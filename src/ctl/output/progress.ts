/** One line on standard error that says how far long work is; on terminals only, and gone when the work is done. */

import type { Context } from "../context.ts";
import type { Sink } from "../environment.ts";
import { showControls } from "./terminal.ts";

/** Fewer objects than this take too little time for a progress line. */
const progressFrom = 10;

const clearLine = "\r\u001b[2K";

export class Progress {
  readonly #stderr: Sink;
  readonly #isShown: boolean;
  #isOpen = false;

  /** `count`: how many things there are to do; absent: one that may take long. */
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

  /** Before anything else is written to the terminal. */
  clear(): void {
    if (this.#isOpen) this.#stderr.write(clearLine);
    this.#isOpen = false;
  }
}
