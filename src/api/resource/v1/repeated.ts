/** The rule of lists whose items differ in a key: the item that repeats an earlier one is reported, not its key. */

import { duplicate, type FieldErrors, noErrors } from "../../../machinery/status/field-error.ts";
import { repeats } from "../../validation.ts";

export function repeated<T>(keyOf: (item: T) => string): (items: readonly T[], path: string) => FieldErrors {
  return (items, path) => {
    const keys = items.map(keyOf);
    const again = repeats(keys);
    return again.size === 0 ? noErrors : [...again].map((at) => duplicate(`${path}[${at}]`, keys[at]));
  };
}
