/**
 * What a simulated container has written, by its annotations: a pure function of its run, so nothing is stored.
 *
 *   simulation.orch.io/logs: "ready\nserving"                       both lines when the container starts
 *   simulation.orch.io/logs: "tick", simulation.orch.io/log-every: 1s   "tick" every second, from the start on
 */

import type { Pod } from "../../api/core/v1/pod.ts";
import { parseDuration } from "../../base/duration.ts";
import type { ContainerRun } from "./container-runs.ts";

const logsAnnotation = "simulation.orch.io/logs";
const logEveryAnnotation = "simulation.orch.io/log-every";

/** Older lines are gone, as when an agent rotates its files; so are those before the newest so many bytes. */
export const linesKeptMax = 10_000;
export const logBytesMax = 1024 * 1024;
/** Lines come no faster. */
const logEveryMsMin = 10;

export interface LogLine {
  readonly atMs: number;
  readonly text: string;
  /** No newline follows: it goes on with the next one, or the process has ended before. */
  readonly isOpen?: boolean;
}

/** Lines by number, from 0 on. */
export interface LogSource {
  /** How many were written until a time. */
  count(nowMs: number): number;
  /** The number of the oldest one that is kept then. */
  first(nowMs: number): number;
  /** Undefined: it is gone. */
  line(number: number): LogLine | undefined;
}

/** Whether annotations say what the pod writes. */
export const declaresLog = ({ metadata }: Pod): boolean => metadata.annotations?.[logsAnnotation] !== undefined;

export function declaredLog({ metadata }: Pod, container: string, run: ContainerRun): LogSource {
  const given = metadata.annotations?.[logsAnnotation];
  const nanos = parseDuration(metadata.annotations?.[logEveryAnnotation] ?? "");
  const everyMs = nanos === undefined ? undefined : Math.max(logEveryMsMin, Number(nanos) / 1e6);
  const lines = given === undefined ? [`container ${container} of pod ${metadata.name ?? ""}`] : linesOf(given);
  const bytes = lines.map((line) => Buffer.byteLength(line) + 1);
  const count = (nowMs: number): number => {
    const untilMs = Math.min(nowMs, run.endedMs ?? Number.POSITIVE_INFINITY);
    if (lines.length === 0 || untilMs < run.startedMs) return 0;
    return everyMs === undefined ? lines.length : Math.floor((untilMs - run.startedMs) / everyMs) + 1;
  };
  return {
    count,
    first(nowMs) {
      const total = count(nowMs);
      let [first, left] = [total, logBytesMax];
      while (first > Math.max(0, total - linesKeptMax)) {
        left -= bytes[(first - 1) % lines.length] ?? 0;
        if (left < 0 && first < total) break;
        first--;
      }
      return first;
    },
    line: (number) => ({
      atMs: run.startedMs + number * (everyMs ?? 0),
      text: lines[number % lines.length] ?? "",
    }),
  };
}

/** A last newline ends the last line. */
const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
