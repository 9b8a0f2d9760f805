/** The metrics of this room, under their names in v1.21. Their labels are names of objects, never what a request says. */

import type { Clock } from "../base/clock.ts";
import { type Cell, Counter, Histogram, type Metric, Reading, type Series } from "../base/metrics.ts";
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

const durationBounds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];
const lengthBounds = [0, 10, 25, 50, 100, 250, 500, 1_000];
const fractionBounds = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

const prefix = "apiserver_flowcontrol_";
const flowLabels = ["flow_schema", "priority_level"];

export class FairnessMetrics {
  readonly readOnly: Counts;
  readonly mutating: Counts;
  readonly all: readonly Metric[];

  readonly #clock: Clock;
  readonly #dispatched = new Counter(
    `${prefix}dispatched_requests_total`,
    "Requests that began to execute.",
    flowLabels,
  );
  readonly #rejected = new Counter(`${prefix}rejected_requests_total`, "Requests that were refused, by the reason.", [
    ...flowLabels,
    "reason",
  ]);
  readonly #inQueue = gauge("current_inqueue_requests", "Requests that wait in queues.", flowLabels);
  readonly #executing = gauge("current_executing_requests", "Requests that are being executed.", flowLabels);
  readonly #limit = gauge("request_concurrency_limit", "Requests of a level that may execute at once.", [
    "priority_level",
  ]);
  readonly #queueLength = new Histogram(
    `${prefix}request_queue_length_after_enqueue`,
    "How many requests the queue of a request held, with the request itself.",
    flowLabels,
    lengthBounds,
  );
  readonly #wait = new Histogram(
    `${prefix}request_wait_duration_seconds`,
    "How long requests waited, and whether they were executed then.",
    ["execute", ...flowLabels],
    durationBounds,
  );
  readonly #execution = new Histogram(
    `${prefix}request_execution_seconds`,
    "How long requests took to execute.",
    flowLabels,
    durationBounds,
  );
  readonly #byLevel = sampled("priority_level", "priority_level");
  readonly #byKind = sampled("read_vs_write", "request_kind");
  readonly #sampled = new Set<SampledGauge>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.readOnly = this.#counts(this.#byKind, "readOnly");
    this.mutating = this.#counts(this.#byKind, "mutating");
    const inQueueByKind = new Reading(
      "apiserver_current_inqueue_requests",
      "Requests that wait in queues.",
      "gauge",
      () => [
        ['request_kind="readOnly"', this.readOnly.waiting.value],
        ['request_kind="mutating"', this.mutating.waiting.value],
      ],
    );
    this.all = [
      this.#dispatched,
      this.#rejected,
      this.#inQueue,
      this.#executing,
      this.#limit,
      this.#queueLength,
      this.#wait,
      this.#execution,
      inQueueByKind,
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

  #counts(histograms: ReturnType<typeof sampled>, label: string): Counts {
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
    return {
      text: () => {
        const now = this.#clock.monotonic();
        for (const each of this.#sampled) each.sample(now);
        return metric.text();
      },
    };
  }
}

function gauge(name: string, help: string, labels: readonly string[]): Counter {
  return new Counter(`${prefix}${name}`, help, labels, "gauge");
}

function sampled(name: string, label: string) {
  const labels = ["phase", label];
  return {
    samples: new Histogram(
      `${prefix}${name}_request_count_samples`,
      "The number of requests, sampled every millisecond.",
      labels,
      fractionBounds,
    ),
    watermarks: new Histogram(
      `${prefix}${name}_request_count_watermarks`,
      "The highest and the lowest number of requests between two samples.",
      ["mark", ...labels],
      fractionBounds,
    ),
  };
}
