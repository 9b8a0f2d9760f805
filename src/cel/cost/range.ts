/** Estimated sizes and costs: the least and the most that they may be. Infinity: without a bound. */

export interface Range {
  readonly min: number;
  readonly max: number;
}

export const unknownRange: Range = { min: 0, max: Number.POSITIVE_INFINITY };
export const zero: Range = { min: 0, max: 0 };
export const one: Range = { min: 1, max: 1 };

export const exactly = (value: number): Range => ({ min: value, max: value });
export const add = (a: Range, b: Range): Range => ({ min: a.min + b.min, max: a.max + b.max });
export const union = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
export const multiply = (a: Range, b: Range): Range => ({ min: times(a.min, b.min), max: times(a.max, b.max) });
/** Rounded up to whole units. */
export const scale = (range: Range, factor: number): Range => ({
  min: Math.ceil(times(range.min, factor)),
  max: Math.ceil(times(range.max, factor)),
});

/** Nothing times without a bound is nothing. */
const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b);
