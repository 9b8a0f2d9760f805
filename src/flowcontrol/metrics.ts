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
  readonly pending: PendingCounts;
  readonly dispatched: Cell;
  readonly rejected: Readonly<Record<RejectReason, Cell>>;
  readonly inQueue: Cell;
  readonly executing: Cell;
  readonly queueLength: Series;
  readonly waitedAndExecuted: Series;
  readonly waitedInVain: Series;
  readonly execution: Series;
}

/** What has been counted of a flow but is not in its metrics yet; see `flush`. */
interface PendingCounts {
  isListed: boolean;
  begun: number;
  /** How many of these requests did not wait. */
  begunAtOnce: number;
  /** Requests that entered an empty queue. */
  queuedAlone: number;
  ended: number;
  /** How many of these requests took less than `quickMsMax`, and how long they took together. */
  quick: number;
  quickMs: number;
}

/** The lowest bucket of durations begins at 0, without it, and ends here: the mean of durations in it is in it as well. */
const quickMsMax = (executionDuration.buckets?.[1] ?? 0) * 1_000;

const nothingCounted: PendingCounts = {
  isListed: false,
  begun: 0,
  begunAtOnce: 0,
  queuedAlone: 0,
  ended: 0,
  quick: 0,
  quickMs: 0,
};

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
  /** Flows with counts that are not in the metrics yet. */
  #pending: FlowMetrics[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.readOnly = this.#counts(this.#byKind, "readOnly");
    this.mutating = this.#counts(this.#byKind, "mutating");
    const byKind = new Reading(inQueueByKind, () => [
      ['request_kind="readOnly"', this.readOnly.waiting.value],
      ['request_kind="mutating"', this.mutating.waiting.value],
    ]);
    const counted = [this.#dispatched, this.#executing, this.#queueLength, this.#wait, this.#execution];
    this.all = [
      ...counted.map((metric) => this.#current(metric)),
      this.#rejected,
      this.#inQueue,
      this.#limit,
      byKind,
      ...[this.#byLevel, this.#byKind].flatMap(({ samples, watermarks }) => [this.#current(samples), watermarks]),
    ];
  }

  ofFlow(schema: string, level: string): FlowMetrics {
    const key = this.#dispatched.labelKey(schema, level);
    const rejected = (reason: RejectReason) => this.#rejected.cell(this.#rejected.labelKey(schema, level, reason));
    return {
      pending: { ...nothingCounted },
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

  /** No longer sampled; existing measurements stay. */
  forgetLevel({ waiting, executing }: Counts): void {
    this.#sampled.delete(waiting);
    this.#sampled.delete(executing);
  }

  queued(flow: FlowMetrics, length: number): void {
    if (length === 1) this.#countsOf(flow).queuedAlone++;
    else this.#queueLength.observe(flow.queueLength, length);
  }
  waited(flow: FlowMetrics, ms: number, executed: boolean): void {
    if (executed && ms === 0) this.#countsOf(flow).begunAtOnce++;
    else this.#wait.observe(executed ? flow.waitedAndExecuted : flow.waitedInVain, ms / 1_000);
  }
  begun(flow: FlowMetrics): void {
    this.#countsOf(flow).begun++;
  }
  executed(flow: FlowMetrics, ms: number): void {
    const counts = this.#countsOf(flow);
    counts.ended++;
    if (ms > 0 && ms <= quickMsMax) {
      counts.quick++;
      counts.quickMs += ms;
    } else this.#execution.observe(flow.execution, ms / 1_000);
  }

  /**
   * Brings the metrics up to date. Most requests begin at once in an empty queue and end: that costs them increments of numbers which lie
   * side by side, instead of updates of five metrics.
   */
  flush(): void {
    for (const flow of this.#pending) {
      const { pending } = flow;
      flow.dispatched.value += pending.begun;
      flow.executing.value += pending.begun - pending.ended;
      this.#wait.observe(flow.waitedAndExecuted, 0, pending.begunAtOnce);
      this.#queueLength.observe(flow.queueLength, 1, pending.queuedAlone);
      const { quick, quickMs } = pending;
      if (quick > 0) this.#execution.observe(flow.execution, quickMs / quick / 1_000, quick);
      Object.assign(pending, nothingCounted);
    }
    this.#pending = [];
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

  #countsOf(flow: FlowMetrics): PendingCounts {
    const { pending } = flow;
    if (!pending.isListed) {
      pending.isListed = true;
      this.#pending.push(flow);
    }
    return pending;
  }

  /** Adds what is due before the metric is shown. */
  #current(metric: Metric): Metric {
    const { declaration } = metric;
    return {
      declaration,
      text: (name, help) => {
        this.flush();
        const now = this.#clock.monotonic();
        for (const each of this.#sampled) each.sample(now);
        return metric.text(name, help);
      },
    };
  }
}
