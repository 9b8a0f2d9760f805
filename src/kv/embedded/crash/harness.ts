/** Kills writers again and again, opens what they left and compares it with what they were told. */

import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../../base/seeded-random.ts";
import type { Kv, KvEntry } from "../../contract.ts";
import { type CrashPoint, crashPoints } from "../crash-point.ts";
import { openEmbeddedKv } from "../embedded.ts";
import { bundleChild } from "./bundle.ts";
import { type Line, parseJournal, type WriterOrders } from "./journal.ts";

export interface CrashOptions {
  readonly rounds: number;
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

/** How many crashes one folder goes through before a new one is begun. */
const roundsPerFolder = 25;
const childTimeoutMs = 20_000;

/** Throws at the first broken promise, with the seed that repeats it. */
export async function runCrashRounds(options: CrashOptions): Promise<CrashReport> {
  const child = await bundleChild("src/kv/embedded/crash/writer.ts");
  const reached = new Map<CrashPoint, number>();
  let acknowledged = 0;
  let random = 0;
  let place: Place | undefined;
  try {
    for (let round = 0; round < options.rounds; round += 1) {
      if (round % roundsPerFolder === 0) {
        place?.remove();
        place = new Place();
      }
      const seed = options.seed + round;
      // Every second round ends at a named point, each in its turn; the others at any instant.
      const point = round % 2 === 0 ? crashPoints[(round / 2) % crashPoints.length] : undefined;
      const lines = await crashOnce(child, place!, seed, point);
      const crash = lines.find((line) => line.at === "crash");
      if (crash === undefined) random += 1;
      else reached.set(crash.point, (reached.get(crash.point) ?? 0) + 1);
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

async function crashOnce(child: string, place: Place, seed: number, point: CrashPoint | undefined): Promise<Line[]> {
  const random = seededRandom(seed);
  const orders: WriterOrders = {
    folder: place.folder,
    seed,
    writers: 1 + Math.floor(random() * 24),
    crashAfter: point?.startsWith("open") || point?.startsWith("close") ? 1 : 1 + Math.floor(random() * 12),
    ...(point !== undefined && { crashPoint: point }),
    ...(point?.startsWith("close") && { stopAfterMs: 30 }),
  };
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
    await delay(random() * 200);
    started.kill("SIGKILL");
  }
  const { code, signal } = await ended;
  clearTimeout(timeout);
  if (signal !== "SIGKILL") throw new Error(`the writer ended by itself (${code ?? signal}): ${complaint}`);
  return parseJournal(readFileSync(journal, "utf8"));
}

/** What a key may hold: what was acknowledged last, or what was tried after that. */
interface Expectation {
  acknowledged: { readonly tag: string; readonly revision: bigint } | undefined;
  tried: string[];
}

class Place {
  readonly parent = mkdtempSync(join(tmpdir(), "kv-crash-"));
  readonly folder = join(this.parent, "data");
  /** The store's revision when it was last looked at. */
  #revision = 0n;
  #keys = new Map<string, KvEntry>();

  remove(): void {
    rmSync(this.parent, { recursive: true, force: true });
  }

  async verify(lines: readonly Line[]): Promise<void> {
    const kv = await openEmbeddedKv({ folder: this.folder, historyMs: 60_000 });
    try {
      const revision = await kv.revision();
      const expected = this.#expectations(lines, revision);
      const found = new Map((await kv.range("")).entries.map((entry) => [entry.key, entry]));
      for (const [key, expectation] of expected) checkKeyState(key, expectation, found.get(key));
      for (const key of found.keys()) if (!expected.has(key)) throw new Error(`${key} came from nowhere`);
      await checkHistory(kv, revision);
      this.#revision = revision;
      this.#keys = found;
    } finally {
      await kv.close();
    }
  }

  #expectations(lines: readonly Line[], revision: bigint): Map<string, Expectation> {
    const expected = new Map<string, Expectation>();
    for (const [key, entry] of this.#keys) {
      expected.set(key, { acknowledged: { tag: tagOf(entry), revision: entry.revision }, tried: [] });
    }
    const used = new Set<string>();
    for (const line of lines) {
      if (line.at === "open" && BigInt(line.revision) !== this.#revision) {
        throw new Error(`the writer opened at revision ${line.revision}, and the store was at ${this.#revision}`);
      }
      if (line.at !== "try" && line.at !== "done") continue;
      const expectation = expected.get(line.key) ?? { acknowledged: undefined, tried: [] };
      expected.set(line.key, expectation);
      if (line.at === "try") {
        expectation.tried.push(line.tag);
        continue;
      }
      const acknowledged = BigInt(line.revision);
      if (acknowledged <= this.#revision) throw new Error(`revision ${acknowledged} went back below ${this.#revision}`);
      if (acknowledged > revision) throw new Error(`revision ${acknowledged} was acknowledged and is lost`);
      if (used.has(line.revision)) throw new Error(`revision ${acknowledged} was used twice`);
      used.add(line.revision);
      expectation.acknowledged = { tag: line.tag, revision: acknowledged };
      expectation.tried = [];
    }
    return expected;
  }
}

function checkKeyState(key: string, { acknowledged, tried }: Expectation, found: KvEntry | undefined): void {
  const tag = found === undefined ? "" : tagOf(found);
  const lastTag = acknowledged?.tag ?? "";
  if (tag !== lastTag && !tried.includes(tag)) {
    throw new Error(`${key} holds "${tag}"; "${lastTag}" was acknowledged and ${JSON.stringify(tried)} tried after`);
  }
  if (
    found !== undefined &&
    tag === lastTag &&
    acknowledged !== undefined &&
    found.revision !== acknowledged.revision
  ) {
    throw new Error(`${key} is at ${found.revision} and was acknowledged at ${acknowledged.revision}`);
  }
  if (found !== undefined && acknowledged !== undefined && found.revision < acknowledged.revision) {
    throw new Error(`${key} went back from ${acknowledged.revision} to ${found.revision}`);
  }
}

/** What is left of history has no gap and leads to the present state. */
async function checkHistory(kv: Kv, revision: bigint): Promise<void> {
  const oldest = await oldestOf(kv);
  const state = new Map((await kv.range("", { revision: oldest })).entries.map((entry) => [entry.key, entry.revision]));
  let at = oldest;
  if (oldest < revision) {
    for await (const { changes, revision: reached } of kv.watch("", oldest, new AbortController().signal)) {
      for (const change of changes) {
        at += 1n;
        if (change.revision !== at) throw new Error(`history has ${change.revision} where ${at} should be`);
        if ((change.previous?.revision ?? 0n) !== (state.get(change.key) ?? 0n)) {
          throw new Error(`the change ${at} of ${change.key} does not continue its history`);
        }
        if (change.value === undefined) state.delete(change.key);
        else state.set(change.key, change.revision);
      }
      if (reached >= revision) break;
    }
  }
  for (const entry of (await kv.range("")).entries) {
    if (state.get(entry.key) !== entry.revision) throw new Error(`history does not lead to the state of ${entry.key}`);
    state.delete(entry.key);
  }
  if (state.size > 0) throw new Error(`history leads to keys that are not there: ${[...state.keys()].join(" ")}`);
}

async function oldestOf(kv: Kv): Promise<bigint> {
  try {
    await kv.range("", { revision: 0n, limit: 1 });
    return 0n;
  } catch (error) {
    return (error as { oldest: bigint }).oldest; // RevisionCompacted says it; anything else fails in the next step
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function tagOf(entry: KvEntry): string {
  return Buffer.from(entry.value).toString().replace(/\.+$/, "");
}
