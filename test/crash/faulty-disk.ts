/** The process whose disk fails at a call: for each case it writes, records the answers, reopens the store and checks it. */

import { appendFileSync, mkdirSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Kv, KvError } from "../../src/kv/contract.ts";
import { openEmbeddedKv } from "../../src/kv/embedded/embedded.ts";
import { controlBytes, type FaultCase, type FaultOrders, type FaultResult } from "./fault-case.ts";
import { type Line, parseJournal } from "./journal.ts";
import { nothingKnown, verify } from "./verify.ts";

const orders = JSON.parse(process.argv[2]!) as FaultOrders; // written by our own harness
const control = openSync(orders.control, "r+");
const folder = join(orders.folder, "data");
/** The answers that the client received, kept beside the folder whose disk fails. */
const journal = `${orders.folder}.journal`;

function setControl(bytes: Buffer): void {
  writeSync(control, bytes, 0, bytes.length, 0);
}

function readControl(): { calls: number; failed: number } {
  const bytes = Buffer.alloc(64);
  readSync(control, bytes, 0, bytes.length, 0);
  return { calls: Number(bytes.readBigInt64LE(0)), failed: Number(bytes.readBigInt64LE(40)) };
}

class Client {
  readonly lines: Line[] = [];
  readonly errors: string[] = [];
  readonly #revisions = new Map<string, bigint>();
  #step = 0;

  /** Puts, or deletes when there is no size. False: it was refused, or its outcome is not known. */
  async write(kv: Kv, key: string, size: number | undefined): Promise<boolean> {
    const tag = size === undefined ? "" : `tag${++this.#step}`;
    const expected = this.#revisions.get(key) ?? 0n;
    const attempt: Line = { at: "try", key, tag };
    this.#note(attempt);
    try {
      const revision =
        size === undefined
          ? await kv.delete(key, expected)
          : await kv.put(key, Buffer.from(tag.padEnd(size, ".")), expected);
      this.#revisions.set(key, size === undefined ? 0n : revision);
      this.#note({ at: "done", key, tag, revision: String(revision) });
      return true;
    } catch (error) {
      if (!(error instanceof KvError)) throw error;
      this.errors.push(error.code);
      // A write that failed as unavailable has not happened.
      if (error.code === "unavailable") this.lines.splice(this.lines.indexOf(attempt), 1);
      await this.#checkReads(kv);
      return false;
    }
  }

  #note(line: Line): void {
    this.lines.push(line);
    appendFileSync(journal, `${JSON.stringify(line)}\n`);
  }

  async #checkReads(kv: Kv): Promise<void> {
    const found = new Map((await kv.range("")).entries.map((entry) => [entry.key, entry.revision]));
    for (const [key, revision] of this.#revisions) {
      if ((found.get(key) ?? 0n) !== revision) throw new Error(`${key} is not readable as it was acknowledged`);
    }
  }
}

/** Twenty operations: small and large values, deletes, several at once, a compaction. */
async function operate(kv: Kv, client: Client): Promise<void> {
  for (let index = 0; index < 5; index += 1) await client.write(kv, `key${index}`, 200);
  await client.write(kv, "key0", 300);
  await client.write(kv, "key1", undefined);
  await client.write(kv, "large", 30_000);
  await Promise.all(Array.from({ length: 8 }, (_, index) => client.write(kv, `together${index}`, 2_000)));
  await kv.compact(await kv.revision()).catch((error: unknown) => {
    if (!(error instanceof KvError)) throw error;
  });
  await client.write(kv, "large", 100_000);
  await client.write(kv, "large", undefined);
  await client.write(kv, "key2", 200);
}

async function runCase(one: FaultCase): Promise<FaultResult> {
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(journal, "");
  const client = new Client();
  const well = (): void => setControl(controlBytes());
  if (one.existing) {
    well();
    const kv = await openEmbeddedKv({ folder });
    for (let index = 0; index < 10; index += 1) await client.write(kv, `before${index % 7}`, 500 * index);
    await kv.close();
  }
  setControl(controlBytes(one));
  let recovered = false;
  let counted = { calls: 0, failed: 0 };
  try {
    let kv = await openEmbeddedKv({ folder }).catch((): undefined => {
      client.errors.push("open");
    });
    if (kv !== undefined) await operate(kv, client);
    if (kv !== undefined && one.capacity > 0) {
      // A server that is restarted on a full disk starts and serves its data.
      await kv.close();
      kv = await openEmbeddedKv({ folder });
      await client.write(kv, "full", 300_000);
    }
    counted = readControl();
    well();
    if (kv !== undefined) {
      recovered = await client.write(kv, "after", 200);
      const condition = kv.condition?.();
      if ((condition === "ok") !== recovered) throw new Error(`it calls itself ${condition}`);
      await kv.close();
    }
    await verify(folder, nothingKnown, client.lines);
    const again = await openEmbeddedKv({ folder });
    if (!(await new Client().write(again, "new", 200))) throw new Error("it takes no writes after another opening");
    await again.close();
  } catch (error) {
    well();
    const broken = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { ...counted, acknowledged: 0, errors: client.errors, recovered, broken };
  }
  const acknowledged = client.lines.filter(({ at }) => at === "done").length;
  return { ...counted, acknowledged, errors: [...new Set(client.errors)], recovered };
}

async function lookAtAftermath(): Promise<FaultResult> {
  const lines = parseJournal(readFileSync(journal, "utf8"));
  const acknowledged = lines.filter(({ at }) => at === "done").length;
  const found = { calls: 0, failed: 0, acknowledged, errors: [], recovered: false };
  try {
    await verify(folder, nothingKnown, lines);
    return found;
  } catch (error) {
    return { ...found, broken: String(error) };
  }
}

mkdirSync(orders.folder, { recursive: true, mode: 0o700 });
if (orders.aftermath) writeSync(1, `${JSON.stringify(await lookAtAftermath())}\n`);
for (const one of orders.cases) writeSync(1, `${JSON.stringify(await runCase(one))}\n`);
