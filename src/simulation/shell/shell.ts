/** The state of one shell: variables, options, traps and what else a script can change. */

import { posix } from "node:path";
import type { Host, ShellTask } from "./host.ts";
import { depthMax, textCharsMax, variablesMax } from "./limits.ts";
import type { ShellCommand } from "./syntax.ts";

/** The shell ends. */
export class ShellExit extends Error {
  readonly code: number;
  /** False: after `exec`, where no trap is left. */
  readonly hasTraps: boolean;

  constructor(code: number, hasTraps = true) {
    super();
    this.code = code;
    this.hasTraps = hasTraps;
  }
}

/** `break` and `continue` of so many loops, or `return` with a code. */
export class Jump extends Error {
  readonly to: "break" | "continue" | "return";
  count: number;

  constructor(to: Jump["to"], count: number) {
    super();
    this.to = to;
    this.count = count;
  }
}

/** A command of the script cannot be carried out; the shell ends with its message. */
export class ShellError extends Error {}

/** A script wants more than it may have; the shell ends, whatever command was running. */
export class ShellLimit extends Error {}

export class Shell {
  readonly host: Host;
  readonly task: ShellTask;
  readonly variables: Map<string, string>;
  readonly exported: Set<string>;
  readonly functions: Map<string, ShellCommand>;
  /** By signal, or EXIT. */
  readonly traps: Map<string, string>;
  readonly name: string;
  args: readonly string[];
  lastCode = 0;
  lastBackground: ShellTask | undefined;
  readonly background: ShellTask[] = [];
  folder: string;
  readonly options = { errexit: false, nounset: false, xtrace: false };
  readonly depth: number;
  /** In how many conditions the shell is, where a failure does not end it. */
  guards = 0;
  loops = 0;
  /** Functions that have called each other. */
  calls = 0;
  /** Signals with a trap that has not run yet. */
  readonly pending: string[] = [];

  constructor(options: {
    readonly host: Host;
    readonly task: ShellTask;
    readonly environment: ReadonlyMap<string, string>;
    readonly folder: string;
    readonly name?: string;
    readonly args?: readonly string[];
    readonly depth?: number;
  }) {
    this.host = options.host;
    this.task = options.task;
    this.variables = new Map(options.environment);
    this.exported = new Set(options.environment.keys());
    this.functions = new Map();
    this.traps = new Map();
    this.name = options.name ?? "sh";
    this.args = options.args ?? [];
    this.folder = options.folder;
    this.depth = options.depth ?? 0;
    if (this.depth > depthMax) throw new ShellError("calls are nested too deeply");
  }

  /** A shell with the same state, whose changes stay its own; `task` is the process that it runs in. */
  fork(task: ShellTask = this.task): Shell {
    const { host, folder, name, args } = this;
    const copy = new Shell({ host, task, environment: new Map(), folder, name, args, depth: this.depth + 1 });
    for (const [key, value] of this.variables) copy.variables.set(key, value);
    for (const key of this.exported) copy.exported.add(key);
    for (const [key, value] of this.functions) copy.functions.set(key, value);
    Object.assign(copy.options, this.options);
    copy.lastCode = this.lastCode;
    copy.lastBackground = this.lastBackground;
    copy.guards = this.guards;
    copy.loops = this.loops;
    copy.calls = this.calls;
    return copy;
  }

  set(name: string, value: string): void {
    if (value.length > textCharsMax) throw new ShellError(`${name}: value is too long`);
    if (!this.variables.has(name) && this.variables.size >= variablesMax) throw new ShellError("too many variables");
    this.variables.set(name, value);
  }

  /** What programs get. */
  environment(): ReadonlyMap<string, string> {
    return new Map(
      [...this.exported].flatMap((name) => {
        const value = this.variables.get(name);
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
  }

  path(text: string): string {
    return posix.resolve(this.folder, text);
  }

  /** The value of a variable or of `$?`, `$#` and the like; undefined: not set. */
  value(name: string): string | undefined {
    switch (name) {
      case "?":
        return String(this.lastCode);
      case "$":
        return String(this.task.pid);
      case "!":
        return this.lastBackground === undefined ? "" : String(this.lastBackground.pid);
      case "#":
        return String(this.args.length);
      case "@":
      case "*":
        return this.args.join(" ");
      case "-":
        return this.options.errexit ? "e" : "";
      case "0":
        return this.name;
      default:
        return /^\d+$/.test(name) ? this.args[Number(name) - 1] : this.variables.get(name);
    }
  }
}
