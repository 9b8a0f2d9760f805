/** Estimated sizes and costs: the least and the most that they may be. */

export interface CostRange {
  readonly min: number;
  readonly max: number;
}

/** Nothing is larger; as in the reference, a part of what has no bound is still a number below it. */
export const unbounded = 2 ** 64;
export const bounded = (value: number): number => Math.min(value, unbounded);

export const unknownRange: CostRange = { min: 0, max: unbounded };
export const zero: CostRange = { min: 0, max: 0 };
export const one: CostRange = { min: 1, max: 1 };

export const exactly = (value: number): CostRange => ({ min: value, max: value });
export const add = (a: CostRange, b: CostRange): CostRange => ({
  min: bounded(a.min + b.min),
  max: bounded(a.max + b.max),
});
export const union = (a: CostRange, b: CostRange): CostRange => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});
export const multiply = (a: CostRange, b: CostRange): CostRange => ({
  min: bounded(a.min * b.min),
  max: bounded(a.max * b.max),
});
/** Rounded up to whole units. */
export const scale = (range: CostRange, factor: number): CostRange => ({
  min: bounded(Math.ceil(range.min * factor)),
  max: bounded(Math.ceil(range.max * factor)),
});
