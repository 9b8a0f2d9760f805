/** What a turn of the event loop was spent on, out of the samples of a CPU profile. */

import type { Profiler } from "node:inspector";

/** The part of a profile that belongs to one turn: its last `lastMs`. */
interface TurnPart {
  readonly profile: Profiler.Profile;
  readonly lastMs: number;
}

interface TurnShare {
  /** How much of the sampled time counts, between 0 and 1. */
  readonly share: number;
  /** The calls that have at least a fifth of what counts, each after its caller: "40% decode (FILE:12)". */
  readonly stack: readonly string[];
  /** Where the time was spent, the most expensive function first. */
  readonly functions: readonly string[];
}

/** Whether a sample counts, by the files of its frames, innermost first. Native code and the collector have no file: "". */
export type CountsSample = (files: readonly string[]) => boolean;

const functionsMax = 5;
/** Which part of the time a call must have to be shown. */
const partMin = 0.2;

interface Call {
  micros: number;
  readonly callees: Map<string, Call>;
}

export function shareOf({ profile, lastMs }: TurnPart, counts: CountsSample): TurnShare {
  const frames = new Map(profile.nodes.map((node) => [node.id, node]));
  const callers = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const outermost: Call = { micros: 0, callees: new Map() };
  const own = new Map<string, number>();
  let sampled = 0;
  for (const [id, micros] of samplesOf(profile, lastMs)) {
    sampled += micros;
    const nodes: Profiler.ProfileNode[] = [];
    for (let at: number | undefined = id; at !== undefined; at = callers.get(at)) {
      const node = frames.get(at);
      if (node !== undefined && !isRoot(node)) nodes.push(node);
    }
    if (!counts(nodes.map(({ callFrame }) => callFrame.url))) continue;
    const names = nodes.map(nameOf);
    own.set(names[0] ?? "", (own.get(names[0] ?? "") ?? 0) + micros);
    add(outermost, names.reverse(), micros);
  }
  const functions = [...own].sort((a, b) => b[1] - a[1]).slice(0, functionsMax);
  return {
    share: sampled === 0 ? 0 : outermost.micros / sampled,
    stack: heaviest(outermost, outermost.micros),
    functions: functions.map(([name, micros]) => `${percent(micros, outermost.micros)} ${name}`),
  };
}

/** Those in which the thread worked: it may have slept before the turn, or waited in the middle of it. */
function* samplesOf(profile: Profiler.Profile, lastMs: number): Generator<[id: number, micros: number]> {
  const { nodes, samples = [], timeDeltas = [], startTime, endTime } = profile;
  const idle = nodes.find(({ callFrame }) => callFrame.functionName === "(idle)")?.id;
  const begin = endTime - lastMs * 1_000;
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0;
    // A sample stands for the time until the next one.
    const until = at + (timeDeltas[index + 1] ?? endTime - at);
    if (id !== idle && until > begin) yield [id, until - Math.max(at, begin)];
  }
}

const isRoot = ({ callFrame }: Profiler.ProfileNode): boolean => callFrame.functionName === "(root)";

function nameOf({ callFrame: { functionName, url, lineNumber } }: Profiler.ProfileNode): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  return url === "" ? name : `${name} (${url.replace(/^.*\/(?=src\/|dist\/|node_modules\/)/, "")}:${lineNumber + 1})`;
}

function add(outermost: Call, names: readonly string[], micros: number): void {
  outermost.micros += micros;
  let at = outermost;
  for (const name of names) {
    let next = at.callees.get(name);
    if (next === undefined) {
      next = { micros: 0, callees: new Map() };
      at.callees.set(name, next);
    }
    next.micros += micros;
    at = next;
  }
}

function heaviest({ callees }: Call, all: number, indent = ""): readonly string[] {
  const shown = [...callees].filter(([, { micros }]) => micros >= all * partMin);
  const isForked = shown.length > 1;
  return shown.flatMap(([name, call]) => [
    `${indent}${percent(call.micros, all)} ${name}`,
    ...heaviest(call, all, isForked ? `${indent}  ` : indent),
  ]);
}

const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)}%`;
