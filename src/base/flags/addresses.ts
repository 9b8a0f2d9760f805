/** Flags whose value is an IP address. */

import { isIP } from "node:net";
import { type Flag, FlagError, type FlagOptions, type FlagType, flag } from "./flag.ts";

const addressType: FlagType<string> = {
  name: "ip",
  parse(text) {
    if (isIP(text) !== 0 || text === "localhost") return text;
    throw new FlagError(`must be an IP address such as 127.0.0.1, not "${text}"`);
  },
};

const ipType: FlagType<string> = {
  name: "ip",
  parse(text) {
    if (text === "" || isIP(text) !== 0) return text;
    throw new FlagError(`must be an IP address such as 192.0.2.1, not "${text}"`);
  },
};

/** An IP address or localhost. */
export const address = (help: string, fallback: string): Flag<string> => flag(addressType, fallback, help);
/** An IP address, or nothing. */
export const ip = (help: string, more?: FlagOptions<string>): Flag<string> => flag(ipType, "", help, more);
