/** Reads a command line against a table of flags: `--name=value`, `--name value`, `--switch`, `-n value`, `-Aw`. */

import { nearest } from "../suggest.ts";
import { bareValue, type Flag, FlagError, type Flags, type FlagValues } from "./flag.ts";
import { plainWording, type Wording } from "./wording.ts";

/** One use of a flag on the command line, by its long name. */
export interface FlagUse {
  readonly name: string;
  readonly text: string;
}

export interface ParsedFlags<F extends Flags> {
  readonly values: FlagValues<F>;
  /** Names of the flags on the command line; all others have their defaults. */
  readonly given: ReadonlySet<string>;
  /** In the order of the command line. */
  readonly uses: readonly FlagUse[];
  /** The arguments that are not flags; empty unless `ParseOptions.takesArguments`. */
  readonly others: readonly string[];
  /** The number of arguments before "--"; undefined: there was no "--". */
  readonly dashAt: number | undefined;
  /** One sentence for each flag on the command line that has no effect or is deprecated. */
  readonly warnings: readonly string[];
}

interface ParseOptions {
  /** Whether arguments that are not flags are allowed, and "--" ends the flags. Default: false. */
  readonly takesArguments?: boolean;
  /** Whether `-abc` are three short flags. Default: false, one dash means the same as two. */
  readonly hasShorts?: boolean;
  /** Default: plain sentences. */
  readonly wording?: Wording;
}

/** Throws FlagError for anything unknown: a mistyped flag must never silently keep its default. */
export function parseFlags<F extends Flags>(
  flags: F,
  args: readonly string[],
  options: ParseOptions = {},
): ParsedFlags<F> {
  return new Line(flags, args, options).read();
}

class Line<F extends Flags> {
  readonly #flags: F;
  readonly #args: readonly string[];
  readonly #takesArguments: boolean;
  readonly #hasShorts: boolean;
  readonly #wording: Wording;
  /** Each name and alias of a flag, with the name of the flag. */
  readonly #names = new Map<string, string>();
  readonly #shorts = new Map<string, string>();
  readonly #values = new Map<string, unknown>();
  readonly #uses: FlagUse[] = [];
  readonly #others: string[] = [];
  readonly #warnings: string[] = [];
  #dashAt: number | undefined;
  #at = 0;

  constructor(flags: F, args: readonly string[], options: ParseOptions) {
    this.#flags = flags;
    this.#args = args;
    this.#takesArguments = options.takesArguments ?? false;
    this.#hasShorts = options.hasShorts ?? false;
    this.#wording = options.wording ?? plainWording;
    for (const [name, { aliases = [], formerNames = {}, short }] of Object.entries(flags)) {
      for (const known of [name, ...aliases, ...Object.keys(formerNames)]) this.#names.set(known, name);
      if (short !== undefined) (this.#hasShorts ? this.#shorts : this.#names).set(short, name);
    }
  }

  read(): ParsedFlags<F> {
    while (this.#at < this.#args.length) this.#readArgument(this.#args[this.#at++]!);
    for (const name of Object.keys(this.#flags)) this.#setImplied(name);
    const all: Record<string, unknown> = {};
    for (const [name, flag] of Object.entries(this.#flags))
      all[name] = this.#values.has(name) ? this.#values.get(name) : flag.default;
    return {
      // Each value was made by the type of its own flag, or is that flag's default.
      values: all as FlagValues<F>,
      given: new Set(this.#values.keys()),
      uses: this.#uses,
      others: this.#others,
      dashAt: this.#dashAt,
      warnings: this.#warnings,
    };
  }

  #readArgument(arg: string): void {
    if (this.#takesArguments && arg === "--") {
      this.#dashAt = this.#others.length;
      this.#others.push(...this.#args.slice(this.#at));
      this.#at = this.#args.length;
    } else if (this.#takesArguments && (!arg.startsWith("-") || arg === "-")) this.#others.push(arg);
    else if (this.#hasShorts && !arg.startsWith("--")) this.#readShorts(arg);
    else this.#readLong(arg);
  }

  #readLong(arg: string): void {
    const match = /^--?([^-=][^=]*)(?:=([\s\S]*))?$/.exec(arg);
    if (match === null) throw new FlagError(this.#wording.noFlag(arg));
    const given = match[1]!.replaceAll("_", "-");
    const name = this.#names.get(given);
    if (name === undefined)
      throw new FlagError(this.#wording.unknown(given, nearest(given.slice(0, 80), this.#names.keys())));
    const flag = this.#flags[name]!;
    if (flag.refused !== undefined) throw new FlagError(`--${given}: ${flag.refused}`);
    this.#warn(given, name, flag);
    if (match[2] !== undefined) this.#set(given, name, match[2]);
    else if (bareValue(flag) !== undefined) this.#setBare(name, flag);
    else if (this.#at < this.#args.length) this.#set(given, name, this.#args[this.#at++]!);
    else throw new FlagError(this.#wording.needsValue(`--${given}`, flag.type.name));
  }

  #readShorts(arg: string): void {
    let isWhole = false;
    for (let i = 1; i < arg.length && !isWhole; i++) {
      const letter = arg[i]!;
      const name = this.#shorts.get(letter);
      if (name === undefined) throw new FlagError(this.#wording.unknownShort(letter, arg));
      const flag = this.#flags[name]!;
      this.#warn(name, name, flag);
      const rest = arg.slice(i + 1);
      isWhole = true;
      if (rest.startsWith("=") && rest.length > 1) this.#set(name, name, rest.slice(1));
      else if (bareValue(flag) !== undefined) {
        this.#setBare(name, flag);
        isWhole = false;
      } else if (rest !== "") this.#set(name, name, rest);
      else if (this.#at < this.#args.length) this.#set(name, name, this.#args[this.#at++]!);
      else throw new FlagError(this.#wording.needsValue(`'${letter}' in ${arg}`, flag.type.name));
    }
  }

  #set(given: string, name: string, text: string): void {
    const flag = this.#flags[name]!;
    let value: unknown;
    try {
      value = flag.type.parse(text);
    } catch (error) {
      if (!(error instanceof FlagError)) throw error;
      throw new FlagError(this.#wording.invalid({ given, short: flag.short, text, error }));
    }
    this.#keep(name, flag, value, text);
  }

  #setBare(name: string, flag: Flag): void {
    const value = bareValue(flag);
    this.#keep(name, flag, value, String(value));
  }

  #keep(name: string, flag: Flag, value: unknown, text: string): void {
    const isRepeated = this.#values.has(name) && flag.type.merge !== undefined;
    this.#values.set(name, isRepeated ? flag.type.merge?.(this.#values.get(name), value) : value);
    this.#uses.push({ name, text });
  }

  /** A flag that says something else than the one that implies it would be lost, so both together are refused. */
  #setImplied(by: string): void {
    const { implies } = this.#flags[by]!;
    const word = implies && this.#uses.findLast((use) => use.name === by)?.text;
    if (implies === undefined || word === undefined) return;
    for (const [name, text] of Object.entries(implies(word))) {
      const other = this.#uses.findLast((use) => use.name === name && use.text !== text);
      if (other !== undefined)
        throw new FlagError(
          `--${by}=${word} means --${name}=${text}, but the command line also has --${name}=${other.text}`,
        );
      if (!this.#values.has(name)) this.#set(name, name, text);
    }
  }

  #warn(given: string, name: string, flag: Flag): void {
    if (this.#values.has(name)) return;
    const pending = flag.pending;
    const deprecated = flag.deprecated ?? flag.formerNames?.[given];
    // The wording of v1.21.
    if (deprecated !== undefined) this.#warnings.push(`Flag --${given} has been deprecated, ${deprecated}`);
    else if (pending !== undefined) this.#warnings.push(`--${given} is accepted but has no effect: ${pending}`);
  }
}
