/** The process that simulates losses of power: it creates possible contents of the disk, opens them and checks them. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { copyFolder } from "./copy-folder.ts";
import { type Luck, PowerlessDisk, parseDiskLog } from "./disk-log.ts";
import { parseJournal } from "./journal.ts";
import { look, nothingKnown, verify } from "./verify.ts";

export interface ReplayOrders {
  /** What the shim recorded. */
  readonly log: string;
  /** The folder of the store, as it is named in the log. */
  readonly folder: string;
  /** A copy of that folder from before the log begins; absent: it was not there. */
  readonly before?: string;
  /** An empty folder to work in. */
  readonly work: string;
  /** Where one of the states is left, for the next run to continue from. */
  readonly next: string;
  readonly seed: number;
  readonly states: number;
  /** Ignores one kind of record, to check that this is noticed. */
  readonly ignore?: "syncs" | "durable writes";
}

export interface ReplayReport {
  /** How many states of the disk were opened. */
  readonly states: number;
  /** At how many moments power was lost. */
  readonly moments: number;
  /** Acknowledged writes that were looked for in the last state. */
  readonly acknowledged: number;
  /** The first broken promise; absent: none. */
  readonly broken?: string;
}

const orders = JSON.parse(process.argv[2]!) as ReplayOrders; // written by our own harness
const random = seededRandom(orders.seed);

/** From nothing kept, through every kind of mixture, to everything kept. */
function luckOf(variant: number): Luck {
  const share = 0.1 + 0.8 * random();
  const chance = (): boolean => random() < share;
  const always = (): boolean => true;
  const never = (): boolean => false;
  const inOrder = <Item>(items: Item[]): Item[] => items;
  switch (variant % 6) {
    case 0:
      return { keepChange: never, keepWrite: never, keepSector: never, shuffle: inOrder };
    case 1:
      return { keepChange: always, keepWrite: always, keepSector: always, shuffle: inOrder };
    case 2:
      return { keepChange: chance, keepWrite: chance, keepSector: always, shuffle: inOrder };
    case 3:
      return { keepChange: chance, keepWrite: always, keepSector: chance, shuffle: inOrder };
    case 4:
      return { keepChange: chance, keepWrite: chance, keepSector: chance, shuffle: shuffled };
    default:
      return { keepChange: always, keepWrite: always, keepSector: () => random() < 0.97, shuffle: shuffled };
  }
}

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

function readFolder(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(folder)) files.set(join(orders.folder, name), readFileSync(join(folder, name)));
  return files;
}

/** The table of readers is mapped and never synced: it holds anything. */
function tableOfReaders(): Buffer | undefined {
  const choice = Math.floor(random() * 4);
  if (choice === 0) return undefined;
  if (choice === 1) return Buffer.alloc(0);
  const bytes = Buffer.alloc(64_208);
  if (choice === 2) return bytes;
  return Buffer.from(bytes.map(() => Math.floor(random() * 256)));
}

function writeState(files: ReadonlyMap<string, Buffer>, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  for (const [path, bytes] of files) {
    const content = path.endsWith("-lock") ? tableOfReaders() : bytes;
    if (content !== undefined) writeFileSync(join(folder, basename(path)), content, { mode: 0o600 });
  }
}

async function run(): Promise<ReplayReport> {
  const state = join(orders.work, "state");
  let known = nothingKnown;
  if (orders.before !== undefined) {
    copyFolder(orders.before, state);
    known = await look(state);
  }
  const records = parseDiskLog(readFileSync(orders.log)).filter(({ kind, offset }) => {
    if (orders.ignore === "syncs") return kind !== "sync done";
    return orders.ignore !== "durable writes" || kind !== "write done" || offset !== 1;
  });
  const moments = records.length;
  const disk = new PowerlessDisk(orders.before === undefined ? new Map() : readFolder(orders.before));
  let done = 0;
  let acknowledged = 0;
  for (const [index, record] of records.entries()) {
    disk.take(record);
    // As many states as requested, spread over all moments.
    while (done < Math.ceil(((index + 1) * orders.states) / moments)) {
      const variant = done;
      done += 1;
      writeState(disk.cut(luckOf(variant)), state);
      const lines = parseJournal(disk.said);
      acknowledged = lines.filter(({ at }) => at === "done").length;
      if (existsSync(orders.next) === false || random() < 0.01) {
        rmSync(orders.next, { recursive: true, force: true });
        copyFolder(state, orders.next);
      }
      try {
        await verify(state, known, lines);
      } catch (error) {
        const broken = `seed ${orders.seed}, record ${index} (${record.kind}), variant ${variant % 6}: ${String(error)}`;
        return { states: done, moments, acknowledged, broken };
      }
    }
  }
  return { states: done, moments, acknowledged };
}

writeSync(1, JSON.stringify(await run()));
