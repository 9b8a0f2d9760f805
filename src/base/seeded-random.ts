/** A seeded pseudo-random generator: the same seed gives the same numbers, so that a failed random run can be repeated. */

/** A source of numbers from 0 up to, but not including, 1. */
export function seededRandom(seed: number): () => number {
  let state = Math.imul(seed + 1, 2_654_435_761);
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 4_294_967_296;
  };
}
