/** Flags whose value is a number within limits. */

import { type Flag, FlagError, type FlagOptions, type FlagType, flag } from "./flag.ts";

const countType: FlagType<number> = {
  name: "int",
  parse(text) {
    if (!/^\d{1,15}$/.test(text)) throw new FlagError(`must be a whole number that is not negative, not "${text}"`);
    return Number(text);
  },
};

const int64Type: FlagType<bigint> = {
  name: "int",
  parse(text) {
    const value = /^[-+]?\d{1,19}$/.test(text) ? BigInt(text.replace(/^\+/, "")) : undefined;
    if (value !== undefined && BigInt.asIntN(64, value) === value) return value;
    const reason = value === undefined ? "invalid syntax" : "value out of range";
    throw new FlagError(`must be a whole number of 64 bits, not "${text}"`, {
      goReason: `strconv.ParseInt: parsing "${text}": ${reason}`,
    });
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
/** An integer of 64 bits, such as a revision, which a number cannot hold exactly. */
export const int64 = (help: string): Flag<bigint> => flag(int64Type, 0n, help);
export const port = (help: string, fallback: number, more?: FlagOptions<number>): Flag<number> =>
  flag(portType, fallback, help, more);
export const float = (help: string, fallback = 0, more?: FlagOptions<number>): Flag<number> =>
  flag(floatType, fallback, help, more);
