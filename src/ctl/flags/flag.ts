/** Flags as commands declare them, and their values as commands read them. */

/** "list": commas separate values; "array": each use of the flag is one value. */
export type FlagType = "bool" | "text" | "int" | "list" | "array" | "duration";

export interface Flag {
  readonly name: string;
  /** The letter of the short form. */
  readonly short?: string;
  readonly type: FlagType;
  /** Absent: false, "", 0 or []. */
  readonly value?: string;
  /** The value of the flag if it is used without one: `--dry-run`. */
  readonly bare?: string;
  readonly help: string;
  /** Accepted, but not listed. */
  readonly isHidden?: boolean;
  /** The warning when it is used. */
  readonly deprecated?: string;
}

/** One use of a flag on the command line, by its long name. */
export interface GivenFlag {
  readonly name: string;
  readonly value: string;
}

export class Flags {
  readonly #flags: ReadonlyMap<string, Flag>;
  readonly #values: ReadonlyMap<string, readonly string[]>;
  /** In the order of the command line. */
  readonly given: readonly GivenFlag[];

  constructor(
    flags: ReadonlyMap<string, Flag>,
    values: ReadonlyMap<string, readonly string[]>,
    given: readonly GivenFlag[] = [],
  ) {
    this.#flags = flags;
    this.#values = values;
    this.given = given;
  }

  has(name: string): boolean {
    return this.#flags.has(name);
  }

  /** Whether the command line has it. */
  isSet(name: string): boolean {
    return this.#values.has(name);
  }

  text(name: string): string {
    return this.#values.get(name)?.at(-1) ?? this.#flags.get(name)?.value ?? "";
  }

  on(name: string): boolean {
    return this.text(name) === "true";
  }

  int(name: string): number {
    return Number(this.text(name) || "0");
  }

  durationMs(name: string): number {
    return parseDurationMs(this.text(name)) ?? 0;
  }

  list(name: string): readonly string[] {
    const given = this.#values.get(name);
    if (given !== undefined) return given;
    const value = this.#flags.get(name)?.value;
    return value === undefined || value === "" ? [] : [value];
  }
}

const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** "1m30s", "500ms", "-1s", "0"; undefined: not a duration. */
export function parseDurationMs(text: string): number | undefined {
  if (text === "0") return 0;
  const match = /^([-+]?)((?:[0-9]*\.?[0-9]+(?:ns|us|\u00b5s|ms|s|m|h))+)$/.exec(text);
  if (match === null) return undefined;
  let ms = 0;
  for (const [, amount, unit] of (match[2] ?? "").matchAll(/([0-9]*\.?[0-9]+)(ns|us|\u00b5s|ms|s|m|h)/g))
    ms += Number(amount) * (unitsMs[unit ?? ""] ?? 0);
  return match[1] === "-" ? -ms : ms;
}
