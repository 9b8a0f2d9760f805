/** The moment that is looked at, as a part of the address, so that it can be shared. */

const atInHash = /([?&])at=([^&]*)/;

/** "": now. */
export function momentIn(hash: string): string {
  const given = decodeURIComponent(atInHash.exec(hash)?.[2] ?? "");
  return Number.isNaN(Date.parse(given)) ? "" : given;
}

/** The address with another moment; `at` "": without one. */
export function withMoment(hash: string, at: string): string {
  const without = hash.replace(/([?&])at=[^&]*&?/, "$1").replace(/[?&]$/, "");
  return at === ""
    ? without
    : `${without || "#/overview"}${without.includes("?") ? "&" : "?"}at=${encodeURIComponent(at)}`;
}

/** A change is named with its second: what it left is there at the end of it. */
export const afterChange = (time: string): string => {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? "" : new Date(Math.floor(ms / 1_000) * 1_000 + 999).toISOString();
};

/** How many changes were made in each of `count` equal parts of a span. */
export function countedIn(times: readonly number[], fromMs: number, toMs: number, count: number): readonly number[] {
  const counted = new Array<number>(count).fill(0);
  for (const time of times) {
    const at = Math.floor(((time - fromMs) / (toMs - fromMs)) * count);
    if (at >= 0 && at < count) counted[at] = (counted[at] ?? 0) + 1;
  }
  return counted;
}
