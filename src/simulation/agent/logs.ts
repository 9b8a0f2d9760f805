/** The log of a simulated container as a client asks for it: how much, since when, with times, and as it grows. */

import type { Pod } from "../../api/core/v1/pod.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { type ContainerRun, presentRun, previousRun, statusOfContainer } from "./container-runs.ts";
import { type LogLine, linesUntil, logSourceOf, nextLineAtMs, writtenLines } from "./log-lines.ts";

interface LogRequest {
  readonly pod: Pod;
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Undefined: from the beginning. */
  readonly sinceMs: number | undefined;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
}

/** How often a log that is followed looks whether the container still runs. */
const lookEveryMs = 500;

/** The client asked for a log that does not exist; a 400 of the agent. */
export class NoLog extends Error {}

export function parseLogRequest(pod: Pod, container: string, query: URLSearchParams, nowMs: number): LogRequest {
  const number = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
  const isOn = (name: string) => query.has(name) && !["0", "false"].includes(query.get(name) ?? "");
  const seconds = number("sinceSeconds");
  const since = Date.parse(query.get("sinceTime") ?? "");
  return {
    pod,
    container,
    follow: isOn("follow"),
    previous: isOn("previous"),
    timestamps: isOn("timestamps"),
    sinceMs: seconds !== undefined ? nowMs - seconds * 1_000 : Number.isNaN(since) ? undefined : since,
    tailLines: number("tailLines"),
    limitBytes: number("limitBytes"),
  };
}

/** Throws NoLog before the first chunk if there is none. `podNow`: the pod as it is known later. */
export async function* readLog(
  request: LogRequest,
  { clock, podNow, signal }: { clock: Clock; podNow(): Pod | undefined; signal: AbortSignal },
): AsyncGenerator<string> {
  const { pod, container } = request;
  const run = runOf(request);
  const source = logSourceOf(pod, container);
  const nowMs = clock.now();
  const print = printer(request);
  const kept = writtenLines(source, run, nowMs).filter(({ atMs }) => atMs >= (request.sinceMs ?? 0));
  const shown = request.tailLines === undefined ? kept : kept.slice(Math.max(0, kept.length - request.tailLines));
  // Even if it is empty: a client that follows the log learns that it exists.
  yield print(shown);
  let count = linesUntil(source, run, nowMs);
  while (request.follow && run.endedMs === undefined && !print.isFull()) {
    const next = nextLineAtMs(source, run, count);
    const waitMs = Math.min(lookEveryMs, next === undefined ? lookEveryMs : Math.max(1, next - clock.now()));
    await sleep(clock, waitMs, signal);
    const later = podNow();
    const present =
      later?.metadata.uid === pod.metadata.uid && later !== undefined ? presentRun(later, container) : undefined;
    const isSame = present?.startedMs === run.startedMs;
    const now = { ...run, endedMs: isSame ? present.endedMs : (present?.startedMs ?? clock.now()) };
    const text = print(writtenLines(source, now, clock.now(), count));
    if (text !== "") yield text;
    count = linesUntil(source, now, clock.now());
    if (now.endedMs !== undefined) return;
  }
}

function runOf({ pod, container, previous }: LogRequest): ContainerRun {
  const name = pod.metadata.name ?? "";
  const run = previous ? previousRun(pod, container) : presentRun(pod, container);
  if (run !== undefined) return run;
  if (previous) throw new NoLog(`previous terminated container "${container}" in pod "${name}" not found`);
  const reason = statusOfContainer(pod, container)?.state?.waiting?.reason ?? "ContainerCreating";
  throw new NoLog(`container "${container}" in pod "${name}" is waiting to start: ${reason}`);
}

/** Lines as text, cut at the limit of the request. */
function printer({ timestamps, limitBytes }: LogRequest) {
  let left = limitBytes ?? Number.POSITIVE_INFINITY;
  const print = (lines: readonly LogLine[]): string => {
    const text = lines
      .map(
        ({ atMs, text }) => `${timestamps ? `${new Date(atMs).toISOString().replace("Z", "000000Z")} ` : ""}${text}\n`,
      )
      .join("");
    const bytes = Buffer.from(text);
    if (bytes.length <= left) {
      left -= bytes.length;
      return text;
    }
    const cut = bytes.subarray(0, left).toString("utf8");
    left = 0;
    return cut;
  };
  return Object.assign(print, { isFull: () => left <= 0 });
}
