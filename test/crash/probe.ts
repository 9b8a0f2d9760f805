/** The process that opens damaged copies of a data file: it must report the damage and stay alive, whatever the damage is. */

import {
  closeSync,
  copyFileSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { KvError } from "../../src/kv/contract.ts";
import { openEmbeddedKv } from "../../src/kv/embedded/embedded.ts";

export interface ProbeOrders {
  /** A complete data file that no process has open; zeroes at its end are cut off. */
  readonly pristine: string;
  /** An empty folder to work in. */
  readonly folder: string;
  readonly seed: number;
  readonly count: number;
}

/**
 * `refused`: not opened; `noticed`: opened, and a read reported the damage; `intact`: only unused bytes were damaged.
 */
export interface ProbeReport {
  refused: number;
  noticed: number;
  intact: number;
  /** Served as if nothing were wrong, and different: must be empty. */
  wrong: string[];
  slowestMs: number;
}

const orders = JSON.parse(process.argv[2]!) as ProbeOrders;
const random = seededRandom(orders.seed);
const below = (limit: number): number => Math.floor(random() * limit);

async function contentOf(folder: string): Promise<string> {
  const kv = await openEmbeddedKv({ folder, historyMs: 3_600_000 });
  try {
    const seen: string[] = [String(await kv.revision())];
    for (const entry of (await kv.range("")).entries) {
      seen.push(`${entry.key}@${entry.revision}:${Buffer.from(entry.value).toString("base64")}`);
      if ((await kv.get(entry.key))?.revision !== entry.revision) seen.push("get and range differ");
    }
    // Writing touches the free pages and the edges of the trees.
    const last = await kv.put("probe", new Uint8Array(3_000), 0n);
    await kv.delete("probe", last);
    return seen.join("\n");
  } finally {
    await kv.close();
  }
}

function damage(path: string): string {
  const file = openSync(path, "r+");
  const { size } = fstatSync(file);
  // Half of the damage goes to the first pages, where it does most harm.
  const at = random() < 0.3 ? below(Math.min(size, 8_192)) : below(size);
  let what: string;
  switch (below(5)) {
    case 0: {
      truncateSync(path, at);
      what = `cut at ${at}`;
      break;
    }
    case 1: {
      const page = at - (at % 4_096);
      writeSync(file, new Uint8Array(4_096), 0, Math.min(4_096, size - page), page);
      what = `zeroed page ${page / 4_096}`;
      break;
    }
    case 2: {
      const noise = Uint8Array.from({ length: 64 }, () => below(256));
      writeSync(file, noise, 0, Math.min(64, size - at), at);
      what = `noise at ${at}`;
      break;
    }
    case 3: {
      const huge = Buffer.alloc(8, 0xff);
      const word = at - (at % 8);
      writeSync(file, huge, 0, Math.min(8, size - word), word);
      what = `huge number at ${word}`;
      break;
    }
    default: {
      const byte = Buffer.alloc(1);
      readSync(file, byte, 0, 1, at);
      byte[0]! ^= 1 << below(8);
      writeSync(file, byte, 0, 1, at);
      what = `bit at ${at}`;
    }
  }
  closeSync(file);
  return what;
}

const report: ProbeReport = { refused: 0, noticed: 0, intact: 0, wrong: [], slowestMs: 0 };
const prepare = (name: string): string => {
  const folder = join(orders.folder, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  copyFileSync(orders.pristine, join(folder, "data.mdb"));
  return folder;
};
// The file is longer than its contents, and damage after them has no effect.
const contentBytes = readFileSync(orders.pristine).findLastIndex((byte) => byte !== 0) + 1;
truncateSync(orders.pristine, Math.ceil(contentBytes / 4_096) * 4_096);
const pristine = await contentOf(prepare("pristine"));
for (let index = 0; index < orders.count; index += 1) {
  const folder = prepare("damaged");
  const what = damage(join(folder, "data.mdb"));
  // Standard error is a file: if the process dies, its last line gives the cause.
  writeSync(2, `${index}: ${what}\n`);
  const start = performance.now();
  try {
    const content = await contentOf(folder);
    if (content === pristine) report.intact += 1;
    else report.wrong.push(what);
  } catch (error) {
    if (!(error instanceof KvError)) throw error;
    if (readFileSync(join(folder, "data.mdb")).length === 0 || !error.message.includes("data file"))
      report.noticed += 1;
    else report.refused += 1;
  }
  report.slowestMs = Math.max(report.slowestMs, performance.now() - start);
}
writeSync(1, JSON.stringify(report));
