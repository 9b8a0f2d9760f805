/** From the text of /metrics to the few figures that the overview plots. */

export interface Sample {
  readonly atMs: number;
  readonly requests: number;
  /** Answers of 500 and above. */
  readonly errors: number;
  /** Without watches, logs and streams, which last as long as they are wanted. */
  readonly durationCount: number;
  readonly durationSeconds: number;
  readonly watches: number;
  /** Undefined, here and below: the server does not tell. */
  readonly memoryBytes: number | undefined;
  /** How late timers ran. */
  readonly delayCount: number | undefined;
  readonly delaySeconds: number | undefined;
  readonly storeBytes: number | undefined;
  /** Keys that wait for a controller, by the name of its queue. */
  readonly queues: ReadonlyMap<string, number>;
}

/** What happened between two samples, per second. Undefined: the server does not tell. */
export interface Rates {
  readonly requests: number;
  readonly errors: number;
  readonly latencyMs: number;
  readonly watches: number;
  readonly memoryBytes: number | undefined;
  readonly delayMs: number | undefined;
  readonly storeBytes: number | undefined;
  readonly queued: number | undefined;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;

export function parseSample(metrics: string, atMs: number): Sample {
  const sample: { -readonly [K in keyof Sample]: Sample[K] } & { queues: Map<string, number> } = {
    atMs,
    requests: 0,
    errors: 0,
    durationCount: 0,
    durationSeconds: 0,
    watches: 0,
    memoryBytes: undefined,
    delayCount: undefined,
    delaySeconds: undefined,
    storeBytes: undefined,
    queues: new Map<string, number>(),
  };
  for (const one of metrics.split("\n")) {
    if (!/^(apiserver_|process_resident|orch_event_loop_delay|(kvstore|etcd)_db|workqueue_depth)/.test(one)) continue;
    const [, name = "", labels = "", text = ""] = line.exec(one) ?? [];
    const value = Number(text);
    if (!Number.isFinite(value)) continue;
    const isLong = /verb="(WATCH|CONNECT)"|subresource="(log|exec|attach|portforward|proxy)"/.test(labels);
    if (name === "apiserver_request_total") {
      sample.requests += value;
      if (/code="5/.test(labels)) sample.errors += value;
    } else if (name === "apiserver_request_duration_seconds_count" && !isLong) sample.durationCount += value;
    else if (name === "apiserver_request_duration_seconds_sum" && !isLong) sample.durationSeconds += value;
    else if (name === "apiserver_longrunning_gauge" && /verb="WATCH"/.test(labels)) sample.watches += value;
    else if (name === "process_resident_memory_bytes") sample.memoryBytes = value;
    else if (name === "orch_event_loop_delay_seconds_count") sample.delayCount = value;
    else if (name === "orch_event_loop_delay_seconds_sum") sample.delaySeconds = value;
    // Each member of a store has a copy.
    else if (name.endsWith("_db_total_size_in_bytes")) sample.storeBytes = Math.max(sample.storeBytes ?? 0, value);
    else if (name === "workqueue_depth") sample.queues.set(/name="([^"]*)"/.exec(labels)?.[1] ?? "", value);
  }
  return sample;
}

/** A counter that went back belongs to a server that was started again. */
export function ratesBetween(before: Sample, after: Sample): Rates {
  const seconds = Math.max((after.atMs - before.atMs) / 1_000, 0.001);
  const growth = (key: "requests" | "errors" | "durationCount" | "durationSeconds" | "delayCount" | "delaySeconds") =>
    Math.max(0, (after[key] ?? 0) - (before[key] ?? 0));
  const mean = (sum: number, count: number) => (count === 0 ? 0 : (sum / count) * 1_000);
  return {
    requests: growth("requests") / seconds,
    errors: growth("errors") / seconds,
    latencyMs: mean(growth("durationSeconds"), growth("durationCount")),
    watches: after.watches,
    memoryBytes: after.memoryBytes,
    delayMs: after.delayCount === undefined ? undefined : mean(growth("delaySeconds"), growth("delayCount")),
    storeBytes: after.storeBytes,
    queued: after.queues.size === 0 ? undefined : [...after.queues.values()].reduce((sum, depth) => sum + depth, 0),
  };
}
