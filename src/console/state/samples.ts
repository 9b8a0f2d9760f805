/** From the text of /metrics to the few figures that the overview plots. */

export interface Sample {
  readonly atMs: number;
  readonly requests: number;
  /** Answers of 500 and above. */
  readonly errors: number;
  /** Without watches, which last as long as they are wanted. */
  readonly durationCount: number;
  readonly durationSeconds: number;
  readonly watches: number;
  readonly memoryBytes: number;
}

/** What happened between two samples, per second. */
export interface Rates {
  readonly requests: number;
  readonly errors: number;
  readonly latencyMs: number;
  readonly watches: number;
  readonly memoryBytes: number;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;

export function parseSample(metrics: string, atMs: number): Sample {
  const sample = { atMs, requests: 0, errors: 0, durationCount: 0, durationSeconds: 0, watches: 0, memoryBytes: 0 };
  for (const one of metrics.split("\n")) {
    if (!/^(apiserver_|process_resident)/.test(one)) continue;
    const [, name = "", labels = "", text = ""] = line.exec(one) ?? [];
    const value = Number(text);
    if (!Number.isFinite(value)) continue;
    const isLong = /verb="(WATCH|CONNECT)"/.test(labels);
    if (name === "apiserver_request_total") {
      sample.requests += value;
      if (/code="5/.test(labels)) sample.errors += value;
    } else if (name === "apiserver_request_duration_seconds_count" && !isLong) sample.durationCount += value;
    else if (name === "apiserver_request_duration_seconds_sum" && !isLong) sample.durationSeconds += value;
    else if (name === "apiserver_longrunning_gauge" && /verb="WATCH"/.test(labels)) sample.watches += value;
    else if (name === "process_resident_memory_bytes") sample.memoryBytes = value;
  }
  return sample;
}

/** A counter that went back belongs to a server that was started again. */
export function ratesBetween(before: Sample, after: Sample): Rates {
  const seconds = Math.max((after.atMs - before.atMs) / 1_000, 0.001);
  const growth = (key: "requests" | "errors" | "durationCount" | "durationSeconds") =>
    Math.max(0, after[key] - before[key]);
  const count = growth("durationCount");
  return {
    requests: growth("requests") / seconds,
    errors: growth("errors") / seconds,
    latencyMs: count === 0 ? 0 : (growth("durationSeconds") / count) * 1_000,
    watches: after.watches,
    memoryBytes: after.memoryBytes,
  };
}
