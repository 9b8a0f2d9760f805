/** How errors in a command line are worded: plainly, or as Go programs word them, which scripts search for. */

import type { FlagError } from "./flag.ts";

interface InvalidValue {
  /** The name on the command line. */
  readonly given: string;
  readonly short: string | undefined;
  readonly text: string;
  /** What the type of the flag says about the text. */
  readonly error: FlagError;
}

export interface Wording {
  /** `near`: the most similar name, if one is similar enough. */
  unknown(given: string, near: string | undefined): string;
  unknownShort(letter: string, arg: string): string;
  noFlag(arg: string): string;
  needsValue(shown: string, type: string): string;
  invalid(value: InvalidValue): string;
}

export const plainWording: Wording = {
  unknown: (given, near) =>
    `unknown flag --${given}; ${near === undefined ? "--help-all lists them all" : `did you mean --${near}?`}`,
  unknownShort: (letter) => `unknown flag -${letter}; --help-all lists them all`,
  noFlag: (arg) => `unexpected argument "${arg}"; flags begin with --`,
  needsValue: (shown, type) => `${shown} needs a value (${type})`,
  invalid: ({ given, error }) => `--${given} ${error.message}`,
};

export const goWording: Wording = {
  unknown: (given, near) => `unknown flag: --${given}${near === undefined ? "" : ` (did you mean --${near}?)`}`,
  unknownShort: (letter, arg) => `unknown shorthand flag: '${letter}' in ${arg}`,
  noFlag: (arg) => `bad flag syntax: ${arg}`,
  needsValue: (shown) => `flag needs an argument: ${shown}`,
  invalid: ({ given, short, text, error }) =>
    `invalid argument "${text}" for "${short === undefined ? "" : `-${short}, `}--${given}" flag: ${error.goReason ?? error.message}`,
};
