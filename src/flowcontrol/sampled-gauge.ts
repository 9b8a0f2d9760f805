/** A number that is sampled every millisecond, with the highest and the lowest value between two samples, without a timer. */

import type { Histogram, Series } from "../base/metrics.ts";

const sampleMs = 1;

/** Where samples go. */
interface SampleSeries {
  readonly samples: Series;
  readonly high: Series;
  readonly low: Series;
}

export class SampledGauge {
  readonly #histograms: { readonly samples: Histogram; readonly watermarks: Histogram };
  readonly #series: SampleSeries;
  #sampledMs: number;
  #value = 0;
  #high = 0;
  #low = 0;
  /** Values are shown as fractions of this. */
  #whole = 1;

  constructor(
    histograms: { readonly samples: Histogram; readonly watermarks: Histogram },
    series: SampleSeries,
    nowMs: number,
  ) {
    this.#histograms = histograms;
    this.#series = series;
    this.#sampledMs = nowMs;
  }

  get value(): number {
    return this.#value;
  }

  setWhole(whole: number, nowMs: number): void {
    this.sample(nowMs);
    this.#whole = whole;
  }

  add(change: 1 | -1, nowMs: number): void {
    if (nowMs - this.#sampledMs >= sampleMs) this.sample(nowMs);
    this.#value += change;
    if (this.#value > this.#high) this.#high = this.#value;
    else if (this.#value < this.#low) this.#low = this.#value;
  }

  /** Adds the samples that were due since the last call: the value has not changed in between. */
  sample(nowMs: number): void {
    const times = Math.floor((nowMs - this.#sampledMs) / sampleMs);
    if (times < 1) return;
    this.#sampledMs += times * sampleMs;
    const { samples, watermarks } = this.#histograms;
    const value = this.#value / this.#whole;
    samples.observe(this.#series.samples, value, times);
    // The first of these samples sees how far the value went; during the others it stood still.
    const moved = this.#high !== this.#value || this.#low !== this.#value ? 1 : 0;
    if (moved > 0) {
      watermarks.observe(this.#series.high, this.#high / this.#whole);
      watermarks.observe(this.#series.low, this.#low / this.#whole);
    }
    if (times > moved) {
      watermarks.observe(this.#series.high, value, times - moved);
      watermarks.observe(this.#series.low, value, times - moved);
    }
    this.#high = this.#value;
    this.#low = this.#value;
  }
}
