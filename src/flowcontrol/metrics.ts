/** The metrics of this room, under their names in v1.21. Their labels are names of objects, never what a request says. */

import type { Clock } from "../base/clock.ts";
import { type Cell, Counter, Histogram, type Metric, Reading, type Series } from "../base/metrics.ts";
import {
  concurrencyLimit,
  dispatchedRequests,
  executingRequests,
  executionDuration,
  inQueueByKind,
  inQueueRequests,
  kindSamples,
  kindWatermarks,
  levelSamples,
  levelWatermarks,
  queueLength,
  rejectedRequests,
  waitDuration,
} from "../metrics/flow-control.ts";
import { SampledGauge } from "./sampled-gauge.ts";

export type RejectReason = "concurrency-limit" | "queue-full" | "time-out" | "cancelled";
const rejectReasons: readonly RejectReason[] = ["concurrency-limit", "queue-full", "time-out", "cancelled"];

/** The metrics of one flow schema and its level. */
export interface FlowMetrics {
  readonly dispatched: Cell;
  readonly rejected: Readonly<Record<RejectReason, Cell>>;
  readonly inQueue: Cell;
  readonly executing: Cell;
  readonly queueLength: Series;
  readonly waitedAndExecuted: Series;
  readonly waitedInVain: Series;
  readonly execution: Series;
}

/** Requests of one kind, or of one level. */
export interface Counts {
  readonly waiting: SampledGauge;
  readonly executing: SampledGauge;
}

interface SampledHistograms {
  readonly samples: Histogram;
  readonly watermarks: Histogram;
}

export class FairnessMetrics {
  readonly readOnly: Counts;
  readonly mutating: Counts;
  readonly all: readonly Metric[];

  readonly #clock: Clock;
  readonly #dispatched = new Counter(dispatchedRequests);
  readonly #rejected = new Counter(rejectedRequests);
  readonly #inQueue = new Counter(inQueueRequests);
  readonly #executing = new Counter(executingRequests);
  readonly #limit = new Counter(concurrencyLimit);
  readonly #queueLength = new Histogram(queueLength);
  readonly #wait = new Histogram(waitDuration);
  readonly #execution = new Histogram(executionDuration);
  readonly #byLevel = { samples: new Histogram(levelSamples), watermarks: new Histogram(levelWatermarks) };
  readonly #byKind = { samples: new Histogram(kindSamples), watermarks: new Histogram(kindWatermarks) };
  readonly #sampled = new Set<SampledGauge>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.readOnly = this.#counts(this.#byKind, "readOnly");
    this.mutating = this.#counts(this.#byKind, "mutating");
    const byKind = new Reading(inQueueByKind, () => [
      ['request_kind="readOnly"', this.readOnly.waiting.value],
      ['request_kind="mutating"', this.mutating.waiting.value],
    ]);
    this.all = [
      this.#dispatched,
      this.#rejected,
      this.#inQueue,
      this.#executing,
      this.#limit,
      this.#queueLength,
      this.#wait,
      this.#execution,
      byKind,
      ...[this.#byLevel, this.#byKind].flatMap(({ samples, watermarks }) => [this.#current(samples), watermarks]),
    ];
  }

  ofFlow(schema: string, level: string): FlowMetrics {
    const key = this.#dispatched.labelKey(schema, level);
    const rejected = (reason: RejectReason) => this.#rejected.cell(this.#rejected.labelKey(schema, level, reason));
    return {
      dispatched: this.#dispatched.cell(key),
      rejected: Object.fromEntries(
        rejectReasons.map((reason) => [reason, rejected(reason)]),
      ) as FlowMetrics["rejected"], // one member for each reason
      inQueue: this.#inQueue.cell(key),
      executing: this.#executing.cell(key),
      queueLength: this.#queueLength.series(key),
      waitedAndExecuted: this.#wait.series(this.#wait.labelKey("true", schema, level)),
      waitedInVain: this.#wait.series(this.#wait.labelKey("false", schema, level)),
      execution: this.#execution.series(key),
    };
  }

  ofLevel(level: string): Counts {
    return this.#counts(this.#byLevel, level);
  }

  setLimit(level: string, seats: number): void {
    this.#limit.set(this.#limit.labelKey(level), seats);
  }

  /** No longer sampled; what was measured stays. */
  forgetLevel({ waiting, executing }: Counts): void {
    this.#sampled.delete(waiting);
    this.#sampled.delete(executing);
  }

  queued(flow: FlowMetrics, length: number): void {
    this.#queueLength.observe(flow.queueLength, length);
  }
  waited(flow: FlowMetrics, ms: number, executed: boolean): void {
    this.#wait.observe(executed ? flow.waitedAndExecuted : flow.waitedInVain, ms / 1_000);
  }
  executed(flow: FlowMetrics, ms: number): void {
    this.#execution.observe(flow.execution, ms / 1_000);
  }

  #counts(histograms: SampledHistograms, label: string): Counts {
    const { samples, watermarks } = histograms;
    const ofPhase = (phase: string) => {
      const series = {
        samples: samples.series(samples.labelKey(phase, label)),
        high: watermarks.series(watermarks.labelKey("high", phase, label)),
        low: watermarks.series(watermarks.labelKey("low", phase, label)),
      };
      const created = new SampledGauge(histograms, series, this.#clock.monotonic());
      this.#sampled.add(created);
      return created;
    };
    return { waiting: ofPhase("waiting"), executing: ofPhase("executing") };
  }

  /** Adds the samples that are due before the metric is shown. */
  #current(metric: Metric): Metric {
    const { declaration } = metric;
    return {
      declaration,
      text: (name, help) => {
        const now = this.#clock.monotonic();
        for (const each of this.#sampled) each.sample(now);
        return metric.text(name, help);
      },
    };
  }
}
