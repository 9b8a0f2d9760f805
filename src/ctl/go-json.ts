/** Prints JSON as other tools do: members sorted by name, characters of HTML escaped, integers exact. */

import { printSorted } from "../machinery/json/go-json.ts";

export const goJson = (value: unknown): string => printSorted(value);

/** Four spaces, as `-o json` prints. */
export const prettyJson = (value: unknown): string => `${printSorted(value, "    ")}\n`;
