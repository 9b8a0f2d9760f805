/**
 * What a simulated container has written: a pure function of its run and its annotations, so nothing is stored.
 *
 *   simulation.orch.io/logs: "ready\nserving"                       both lines when the container starts
 *   simulation.orch.io/logs: "tick", simulation.orch.io/log-every: 1s   "tick" every second, from the start on
 */

import type { Pod } from "../../api/core/v1/pod.ts";
import { parseDuration } from "../../base/duration.ts";
import type { ContainerRun } from "./container-runs.ts";

const logsAnnotation = "simulation.orch.io/logs";
const logEveryAnnotation = "simulation.orch.io/log-every";

/** Older lines are gone, as when an agent rotates its files. */
export const linesKeptMax = 10_000;
/** Lines come no faster. */
const logEveryMsMin = 10;

export interface LogLine {
  readonly atMs: number;
  readonly text: string;
}

interface LogSource {
  readonly lines: readonly string[];
  /** Undefined: all lines come at once, when the container starts. */
  readonly everyMs: number | undefined;
}

export function logSourceOf({ metadata }: Pod, container: string): LogSource {
  const given = metadata.annotations?.[logsAnnotation];
  const nanos = parseDuration(metadata.annotations?.[logEveryAnnotation] ?? "");
  const everyMs = nanos === undefined ? undefined : Math.max(logEveryMsMin, Number(nanos) / 1e6);
  const lines = given === undefined ? [`container ${container} of pod ${metadata.name ?? ""}`] : linesOf(given);
  return { lines, everyMs };
}

/** A last newline ends the last line. */
const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** The lines of a run from number `from` on, up to now. */
export function writtenLines(source: LogSource, run: ContainerRun, nowMs: number, from = 0): readonly LogLine[] {
  const { lines, everyMs } = source;
  const total = linesUntil(source, run, nowMs);
  const first = Math.max(from, total - linesKeptMax);
  return Array.from({ length: Math.max(0, total - first) }, (_, index) => ({
    atMs: run.startedMs + (first + index) * (everyMs ?? 0),
    text: lines[(first + index) % lines.length] ?? "",
  }));
}

/** How many lines the run has written until now. */
export function linesUntil({ lines, everyMs }: LogSource, run: ContainerRun, nowMs: number): number {
  const untilMs = Math.min(nowMs, run.endedMs ?? Number.POSITIVE_INFINITY);
  if (lines.length === 0 || untilMs < run.startedMs) return 0;
  return everyMs === undefined ? lines.length : Math.floor((untilMs - run.startedMs) / everyMs) + 1;
}

/** When the next line after the first `count` comes; undefined: none will. */
export function nextLineAtMs({ lines, everyMs }: LogSource, run: ContainerRun, count: number): number | undefined {
  return everyMs === undefined || lines.length === 0 ? undefined : run.startedMs + count * everyMs;
}
