/** Kills writers again and again, opens what they left and compares it with what was acknowledged. */

import { spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { type CrashPoint, crashPoints } from "../../src/kv/embedded/crash-point.ts";
import { bundleChild } from "./bundle.ts";
import { type Line, parseJournal, type WriterOrders } from "./journal.ts";
import { nothingKnown, verify } from "./verify.ts";

export interface CrashOptions {
  /** How many rounds; every named point has its turn in each stretch of `crashPoints.length` that are not random. */
  readonly rounds: number;
  /** The share of rounds that end at any instant instead of a named point; the default is half of them. */
  readonly randomShare?: number;
  /** A kill at any instant comes within so long after the opening; default: 200 ms. */
  readonly instantMsMax?: number;
  readonly seed: number;
  readonly onRound?: (done: number) => void;
}

export interface CrashReport {
  readonly rounds: number;
  /** Writes that were acknowledged and then looked for. */
  readonly acknowledged: number;
  /** How often each point ended a process. */
  readonly reached: ReadonlyMap<CrashPoint, number>;
  /** How often a process was killed at a random instant. */
  readonly random: number;
}

/** How many crashes one folder goes through before a new one is used. */
const roundsPerFolder = 25;
const childTimeoutMs = 30_000;
/** How often a point is tried before it counts as one that is never passed. */
const attemptsMax = 4;

const isMissed = (lines: readonly Line[], point: CrashPoint | undefined): boolean =>
  point !== undefined && !lines.some((line) => line.at === "crash");

/** More than rounds have seeds: two writers of one seed would write the same values, which could not be told apart. */
const seedsApart = 10_000_000;

/** Throws at the first broken promise, with the seed that repeats it. */
export async function runCrashRounds(options: CrashOptions): Promise<CrashReport> {
  const child = await bundleChild("test/crash/writer.ts");
  const reached = new Map<CrashPoint, number>();
  let acknowledged = 0;
  let random = 0;
  let place: Place | undefined;
  let named = 0;
  let places = 0;
  const namedShare = 1 - (options.randomShare ?? 0.5);
  try {
    for (let round = 0; round < options.rounds; round += 1) {
      const seed = options.seed + round;
      // The named points take turns, spread evenly among the rounds that end at any instant.
      const point = named < (round + 1) * namedShare ? crashPoints[named++ % crashPoints.length] : undefined;
      if (round % roundsPerFolder === 0 || isOf(point, beginnings)) {
        place?.remove();
        // Every second store keeps a history.
        place = new Place(places++ % 2 === 1);
      }
      const crash = { child, place: place!, point, instantMsMax: options.instantMsMax ?? 200 };
      let lines = await crashOnce(crash, seed);
      // A point that this state of the folder never reaches is tried again; the kill was as useful as any other.
      for (let attempt = 1; isMissed(lines, point) && attempt < attemptsMax; attempt += 1) {
        await place!.verify(lines);
        lines = await crashOnce(crash, seed + attempt * seedsApart);
      }
      if (isMissed(lines, point)) throw new Error(`the writer did not come to "${point}" within ${childTimeoutMs} ms`);
      const end = lines.find((line) => line.at === "crash");
      if (end === undefined) random += 1;
      else reached.set(end.point, (reached.get(end.point) ?? 0) + 1);
      acknowledged += lines.filter((line) => line.at === "done").length;
      await place!.verify(lines).catch((error: unknown) => {
        throw new Error(`round ${round} (seed ${seed}, ${point ?? "any instant"}) broke a promise`, { cause: error });
      });
      options.onRound?.(round + 1);
    }
  } finally {
    place?.remove();
    rmSync(child, { force: true });
  }
  return { rounds: options.rounds, acknowledged, reached, random };
}

interface Crash {
  readonly child: string;
  readonly place: Place;
  readonly point: CrashPoint | undefined;
  readonly instantMsMax: number;
}

async function crashOnce({ child, place, point, instantMsMax }: Crash, seed: number): Promise<Line[]> {
  const random = seededRandom(seed);
  const orders: WriterOrders = {
    folder: place.folder,
    seed,
    writers: 1 + Math.floor(random() * 24),
    crashAfter: isOf(point, [...beginnings, ...onceEach]) ? 1 : 1 + Math.floor(random() * 8),
    ...(point !== undefined && { crashPoint: point }),
    ...(isOf(point, ["flush: ended", "close"]) && { stopAfterMs: 30 }),
    ...(place.forgetting && { forgetting: true }),
    ...(isOf(point, ["history"]) && { ageing: true }),
    ...(isOf(point, ["compact"]) && { keeping: true }),
  };
  if (isOf(point, ["lock: stale"])) place.leaveStaleLock();
  const journal = join(place.parent, "journal");
  const out = openSync(journal, "w");
  const started = spawn(process.execPath, [child, JSON.stringify(orders)], { stdio: ["ignore", out, "pipe"] });
  closeSync(out);
  let complaint = "";
  started.stderr?.on("data", (chunk: Buffer) => {
    complaint += chunk;
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    started.on("exit", (code, signal) => resolve({ code, signal }));
  });
  const timeout = setTimeout(() => started.kill("SIGKILL"), childTimeoutMs);
  if (point === undefined) {
    // At any instant: sometimes while it starts and opens, mostly while it writes.
    const running = (): boolean => started.exitCode === null && started.signalCode === null;
    if (random() < 0.7) while (running() && statSync(journal).size === 0) await delay(5);
    await delay(random() * instantMsMax);
    started.kill("SIGKILL");
  }
  const { code, signal } = await ended;
  clearTimeout(timeout);
  if (signal !== "SIGKILL") throw new Error(`the writer ended by itself (${code ?? signal}): ${complaint}`);
  return parseJournal(readFileSync(journal, "utf8"));
}

/** Points that are passed only when a folder is new, and points that are passed once in each opening. */
const beginnings = ["folder", "create", "room"];
const onceEach = ["lock", "file", "open", "flush", "watch", "close"];

function isOf(point: CrashPoint | undefined, families: readonly string[]): boolean {
  return families.some((family) => point?.startsWith(family) === true);
}

class Place {
  readonly parent = mkdtempSync(join(tmpdir(), "kv-crash-"));
  readonly folder = join(this.parent, "data");
  readonly forgetting: boolean;
  #known = nothingKnown;

  constructor(forgetting: boolean) {
    this.forgetting = forgetting;
  }

  remove(): void {
    rmSync(this.parent, { recursive: true, force: true });
  }

  /** Belongs to an impossible process: its number is beyond what any system assigns. */
  leaveStaleLock(): void {
    mkdirSync(this.folder, { mode: 0o700, recursive: true });
    writeFileSync(join(this.folder, "lock"), JSON.stringify({ pid: 2 ** 31 - 2, started: "" }), { mode: 0o600 });
  }

  async verify(lines: readonly Line[]): Promise<void> {
    this.#known = await verify(this.folder, this.#known, lines, this);
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
