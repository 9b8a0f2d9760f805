/** The output of one run of a command: data on standard output, everything else on standard error. */

import { FlagError } from "../../base/flags/flag.ts";
import type { ProgramEnvironment } from "../environment.ts";
import type { CommonValues } from "../flags/declared.ts";
import { behaviourOf, type ProgramBehaviour } from "../kubectl.ts";
import { showControls } from "./terminal.ts";

export abstract class CommandOutput {
  abstract readonly environment: ProgramEnvironment;
  abstract readonly flags: CommonValues;
  /** Global flags that the command declares itself, under a name that means something else there. */
  protected abstract readonly ownFlags: ReadonlySet<string>;
  /** How many warnings there were. */
  warnings = 0;
  #unwarned = 0;

  /** What differs between our own name and the name kubectl. */
  get behaviour(): ProgramBehaviour {
    return behaviourOf(this.environment.program, this.flags.vocabulary);
  }

  /** Data, on standard output. Control characters are shown escaped, not executed. */
  print(text: string): void {
    this.environment.stdout.write(showControls(text));
  }

  /** Data in a format that the user chose: unchanged, unless it would reach a terminal. */
  printRaw(text: string): void {
    this.environment.stdout.write(this.environment.stdout.isTerminal ? showControls(text) : text);
  }

  /** Everything that is not data, on standard error. */
  say(line: string): void {
    this.environment.stderr.write(`${showControls(line)}\n`);
  }

  /** Hints for people that scripts do not need, such as that nothing was found. */
  note(line: string): void {
    if (!this.isQuiet) this.say(line);
  }

  /** Requests of `work` are our own idea: what the server warns about them is not for the user. */
  async withoutWarnings<T>(work: () => Promise<T>): Promise<T> {
    this.#unwarned++;
    try {
      return await work();
    } finally {
      this.#unwarned--;
    }
  }

  warn(message: string): void {
    if (this.#unwarned > 0) return;
    this.warnings++;
    this.note(`Warning: ${message}`);
  }

  /** A line that kubectl writes to its log. `place`: the position in its source. */
  log(place: string, message: string, level: "I" | "W"): void {
    this.say(this.behaviour.logLine({ place, message, level, atMs: this.environment.clock.now() }));
  }

  get isQuiet(): boolean {
    return !this.ownFlags.has("quiet") && this.flags.quiet;
  }

  get useColor(): boolean {
    const { env, stdout } = this.environment;
    const choice = this.flags.color;
    if (choice === "always" || choice === "never") return choice === "always";
    if (choice !== "auto") throw new FlagError(`--color must be auto, always or never, not "${choice}"`);
    if (env["NO_COLOR"]) return false;
    if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
    return stdout.isTerminal && env["TERM"] !== "dumb";
  }
}
