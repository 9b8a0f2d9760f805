/** `--history`: for how long, and in how many bytes, changes are kept. */

import { parseDuration } from "../../base/duration.ts";
import { FlagError, type FlagType } from "../../base/flags/flag.ts";
import type { KvHistoryBounds } from "../../kv/contract.ts";
import { parseQuantity, wholeValue } from "../../machinery/values/quantity.ts";

/** What a history without a size may take. */
export const historyBytesDefault = 1024 ** 3;

/** `text`: as help shows it. */
const bounds = (ageMs: number, bytesMax: number, text: string): KvHistoryBounds => {
  const kept = { ageMs, bytesMax, toString: () => text };
  return kept;
};

export const noHistory = bounds(0, 0, "");

/** What `orch up` keeps: a day, in the space of a few photos. */
export const upHistory = bounds(86_400_000, 256 * 1024 ** 2, "24h,256Mi");

/** "24h", "256Mi" or "24h,256Mi"; "": none is kept. */
export const historyType: FlagType<KvHistoryBounds> = {
  name: "24h,256Mi",
  parse(text) {
    const bounds = parseHistory(text);
    if (bounds === undefined)
      throw new FlagError(`must be a duration, a size, or both, like 24h, 256Mi or 24h,256Mi, not "${text}"`);
    return bounds;
  },
};

/** Undefined: the text says something else. */
export function parseHistory(text: string): KvHistoryBounds | undefined {
  if (text === "" || text === "0") return noHistory;
  let ageMs: number | undefined;
  let bytesMax: number | undefined;
  for (const part of text.split(",")) {
    const duration = parseDuration(part);
    const size = duration === undefined ? parseQuantity(part) : undefined;
    if (duration !== undefined && duration > 0n && ageMs === undefined) ageMs = Number(duration / 1_000_000n);
    else if (size !== undefined && wholeValue(size) > 0n && bytesMax === undefined) bytesMax = Number(wholeValue(size));
    else return undefined;
  }
  return { ageMs: ageMs ?? Number.POSITIVE_INFINITY, bytesMax: bytesMax ?? historyBytesDefault };
}
