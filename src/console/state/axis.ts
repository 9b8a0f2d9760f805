/** The marks of an axis: round figures that a person would choose. */

/** From 0 to a round figure above the largest value, in at most five steps. */
export function ticksUpTo(largest: number, stepsMax = 4): readonly number[] {
  if (!(largest > 0) || !Number.isFinite(largest)) return [0, 1];
  const rough = largest / stepsMax;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
  const count = Math.ceil(largest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

/** The same for sizes, whose round figures are powers of two. */
export function byteTicksUpTo(largest: number): readonly number[] {
  const unit = 1_024 ** Math.max(0, Math.floor(Math.log2(Math.max(largest, 1)) / 10));
  return ticksUpTo(largest / unit).map((one) => one * unit);
}

/** "now", "30 s", "4 min". */
export function spanText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 1) return "now";
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 6) / 10} min`;
}
