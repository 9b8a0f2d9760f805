/** The log of a simulated container as a client asks for it: how much, since when, with times, and as it grows. */

import type { Pod } from "../../api/core/v1/pod.ts";
import type { Clock } from "../../base/clock.ts";
import type { SimulatedCommands } from "../containers/simulated-commands.ts";
import { type ContainerRun, presentRun, previousRun, statusOfContainer } from "./container-runs.ts";
import type { LogFollowers } from "./log-followers.ts";
import { declaredLog, declaresLog, type LogSource } from "./log-lines.ts";

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

interface LogTools {
  readonly clock: Clock;
  readonly followers: LogFollowers;
  readonly commands: Pick<SimulatedCommands, "logOf">;
  /** The pod as it is known later. */
  podNow(): Pod | undefined;
  readonly signal: AbortSignal;
}

/** A log is sent in pieces of so many characters. */
export const pieceCharsMax = 16 * 1024;

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

/** Throws NoLog or TooManyFollowers before the first piece if there is none. */
export async function* readLog(request: LogRequest, tools: LogTools): AsyncGenerator<string> {
  const run = runOf(request);
  const isFollowed = request.follow && run.endedMs === undefined;
  const end = isFollowed ? tools.followers.begin() : () => {};
  try {
    const source = await sourceOf(request, run, tools);
    const cursor = new LogCursor(source, request, tools.clock.now());
    // Even if it is empty: a client that follows the log learns that it exists.
    yield "";
    for (const piece of cursor.pieces(tools.clock.now())) {
      await tools.followers.beforePiece();
      yield piece;
    }
    if (isFollowed) yield* follow(request, run, { ...tools, cursor });
  } finally {
    end();
  }
}

async function* follow(request: LogRequest, run: ContainerRun, tools: LogTools & { readonly cursor: LogCursor }) {
  const { cursor, followers, clock, podNow, signal } = tools;
  const { pod, container } = request;
  while (!cursor.isFull) {
    const bytes = await followers.next(signal);
    const later = podNow();
    const isThere = later !== undefined && later.metadata.uid === pod.metadata.uid;
    const present = isThere ? presentRun(later, container) : undefined;
    const isSame = present?.startedMs === run.startedMs && present.number === run.number;
    const endedMs = isSame ? present.endedMs : (present?.startedMs ?? clock.now());
    if (endedMs === undefined) yield* cursor.pieces(clock.now(), bytes);
    else return yield* cursor.pieces(Math.min(clock.now(), endedMs));
  }
}

async function sourceOf({ pod, container }: LogRequest, run: ContainerRun, tools: LogTools): Promise<LogSource> {
  const written = declaresLog(pod) ? undefined : await tools.commands.logOf(pod, container, run.number);
  if (written === undefined) return declaredLog(pod, container, run);
  return { count: () => written.count, first: () => written.first, line: (number) => written.line(number) };
}

function runOf({ pod, container, previous }: LogRequest): ContainerRun {
  const name = pod.metadata.name ?? "";
  const run = previous ? previousRun(pod, container) : presentRun(pod, container);
  if (run !== undefined) return run;
  if (previous) throw new NoLog(`previous terminated container "${container}" in pod "${name}" not found`);
  const reason = statusOfContainer(pod, container)?.state?.waiting?.reason ?? "ContainerCreating";
  throw new NoLog(`container "${container}" in pod "${name}" is waiting to start: ${reason}`);
}

/** Where a client is in a log. Nothing that was not sent yet is held. */
class LogCursor {
  readonly #source: LogSource;
  readonly #hasTimes: boolean;
  #line: number;
  /** How many characters of the line were sent. */
  #sent = 0;
  #bytesLeft: number;

  constructor(source: LogSource, { timestamps, limitBytes, sinceMs, tailLines }: LogRequest, nowMs: number) {
    const count = source.count(nowMs);
    let first = source.first(nowMs);
    while (first < count && (source.line(first)?.atMs ?? 0) < (sinceMs ?? 0)) first++;
    this.#source = source;
    this.#hasTimes = timestamps;
    this.#bytesLeft = limitBytes ?? Number.POSITIVE_INFINITY;
    this.#line = tailLines === undefined ? first : Math.max(first, count - tailLines);
  }

  get isFull(): boolean {
    return this.#bytesLeft <= 0;
  }

  /** What was written until now and not sent yet, at most so many bytes. */
  *pieces(nowMs: number, bytesMax = Number.POSITIVE_INFINITY): Generator<string> {
    const count = this.#source.count(nowMs);
    for (let left = bytesMax; left > 0 && !this.isFull; ) {
      const piece = this.#next(count, this.#source.first(nowMs), Math.min(left, pieceCharsMax));
      if (piece === "") return;
      const bytes = Buffer.byteLength(piece);
      left -= bytes;
      if (bytes > this.#bytesLeft) yield Buffer.from(piece).subarray(0, this.#bytesLeft).toString();
      else yield piece;
      this.#bytesLeft -= bytes;
    }
  }

  /** "": there is no more. */
  #next(count: number, first: number, charsMax: number): string {
    let piece = "";
    if (this.#line < first) {
      // It came too fast: the rest of the line is gone, and so are others.
      if (this.#sent > 0) piece = "\n";
      [this.#line, this.#sent] = [first, 0];
    }
    while (this.#line < count && piece.length < charsMax) {
      const line = this.#source.line(this.#line);
      const isNew = this.#sent === 0 && this.#source.line(this.#line - 1)?.isOpen !== true;
      const time = this.#hasTimes && isNew && line !== undefined ? `${timeText(line.atMs)} ` : "";
      const text = line?.text ?? "";
      const end = this.#sent + charsMax - piece.length;
      piece += time + text.slice(this.#sent, end);
      if (end < text.length) {
        this.#sent = end;
        break;
      }
      if (line?.isOpen !== true) piece += "\n";
      [this.#line, this.#sent] = [this.#line + 1, 0];
    }
    return piece;
  }
}

const timeText = (ms: number): string => new Date(ms).toISOString().replace("Z", "000000Z");
