/** Estimated sizes and costs: the least and the most that they may be. Infinity: without a bound. */

export interface CostRange {
  readonly min: number;
  readonly max: number;
}

export const unknownRange: CostRange = { min: 0, max: Number.POSITIVE_INFINITY };
export const zero: CostRange = { min: 0, max: 0 };
export const one: CostRange = { min: 1, max: 1 };

export const exactly = (value: number): CostRange => ({ min: value, max: value });
export const add = (a: CostRange, b: CostRange): CostRange => ({ min: a.min + b.min, max: a.max + b.max });
export const union = (a: CostRange, b: CostRange): CostRange => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});
export const multiply = (a: CostRange, b: CostRange): CostRange => ({
  min: times(a.min, b.min),
  max: times(a.max, b.max),
});
/** Rounded up to whole units. */
export const scale = (range: CostRange, factor: number): CostRange => ({
  min: Math.ceil(times(range.min, factor)),
  max: Math.ceil(times(range.max, factor)),
});

/** Nothing times without a bound is nothing. */
const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b);
