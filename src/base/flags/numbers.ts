/** Flags whose value is a number within limits. */

import { type Flag, FlagError, type FlagOptions, type FlagType, flag } from "./flag.ts";

const countType: FlagType<number> = {
  name: "int",
  parse(text) {
    if (!/^\d{1,15}$/.test(text)) throw new FlagError(`must be a whole number that is not negative, not "${text}"`);
    return Number(text);
  },
};

const portMax = 65_535;

const portType: FlagType<number> = {
  name: "int",
  parse(text) {
    if (/^\d{1,5}$/.test(text) && Number(text) <= portMax) return Number(text);
    throw new FlagError(`must be a port from 0 to ${portMax}, not "${text}"`);
  },
};

const floatType: FlagType<number> = {
  name: "float",
  parse(text) {
    if (!/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) throw new FlagError(`must be a number, not "${text}"`);
    return Number(text);
  },
};

/** An integer of 0 or more. */
export const atLeastZero = (help: string, fallback = 0): Flag<number> => flag(countType, fallback, help);
export const port = (help: string, fallback: number): Flag<number> => flag(portType, fallback, help);
export const float = (help: string, fallback = 0, more?: FlagOptions<number>): Flag<number> =>
  flag(floatType, fallback, help, more);
