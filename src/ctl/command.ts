/** What a command is: its name, its flags and what it does. */

import type { Flags, FlagValues } from "../base/flags/flag.ts";
import type { Context } from "./context.ts";

export interface Command {
  /** "get", or "can-i" within "auth". */
  readonly name: string;
  /** Everything after the name: "TYPE [NAME | -l label]". */
  readonly usage?: string;
  readonly summary: string;
  /** More than the summary, for the help page of the command. */
  readonly description?: string;
  readonly examples?: string;
  readonly flags: Flags;
  /** Defaults of flags that differ under our own name, for the help; the flags have those of kubectl. */
  readonly ownDefaults?: Readonly<Record<string, unknown>>;
  readonly aliases?: readonly string[];
  readonly subcommands?: readonly Command[];
  /** Where help goes, and the exit code, when no subcommand is named. Absent: standard error and 1. */
  readonly bareHelp?: { readonly stream: "stdout" | "stderr"; readonly code: number };
  /** Absent: the command only groups others. Resolves with the exit code; anything but a number: 0. */
  readonly run?: (context: Context) => Promise<unknown>;
  /** Takes everything after its name as arguments. */
  readonly isRaw?: boolean;
}

/** A command as its file declares it: `run` gets the values of exactly the flags that it declares. */
interface CommandOptions<F extends Flags> extends Omit<Command, "flags" | "run" | "ownDefaults"> {
  readonly flags?: F;
  readonly ownDefaults?: Partial<FlagValues<F>>;
  readonly run?: (context: Context<FlagValues<F>>, flags: Context<FlagValues<F>>["flags"]) => Promise<unknown>;
}

export function command<const F extends Flags = {}>({ run, ...options }: CommandOptions<F>): Command {
  return {
    ...options,
    flags: options.flags ?? {},
    // The program parses the command line with the flags of the command that it runs.
    ...(run === undefined
      ? {}
      : { run: (context) => run(context as Context<FlagValues<F>>, (context as Context<FlagValues<F>>).flags) }),
  };
}

/** A command before its code is loaded: enough to list it and to find it. */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly task: Task;
  readonly summary: string;
  /** Not in the overview. */
  readonly isHidden?: boolean;
  readonly load: () => Promise<Command>;
}

/** What a user wants to do; the overview is grouped by it. */
export type Task = "look" | "change" | "workloads" | "nodes" | "access" | "check" | "setup" | "other";
