/** What decoding knows about the object as a whole, handed from reader to reader. */

import { tooLarge } from "../status/status.ts";

/**
 * Items of all lists and keys of all maps of an object together, a hundred times what large objects have. Each costs more
 * than its bytes: beyond this an object would be validated, owned and printed for a second, often only to be refused as too
 * large for the store. Values without a schema (managed fields, raw JSON) are only copied, and do not count.
 */
export const membersMax = 50_000;

export interface Tally {
  /** Members of the object so far. */
  members: number;
  /** Whether what is being read is inside a value of a final struct. */
  isInFinal: boolean;
}

export function countMembers(tally: Tally, count: number): void {
  tally.members += count;
  if (tally.members > membersMax)
    throw tooLarge(`an object may have at most ${membersMax} items of lists and keys of maps`);
}
