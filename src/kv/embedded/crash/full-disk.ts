/** The process that writes until the disk takes no more, and tells how that went. */

import { writeSync } from "node:fs";
import { KvError } from "../../contract.ts";
import { openEmbeddedKv } from "../embedded.ts";

export interface FullDiskReport {
  /** How many writes were acknowledged, all before the first failure. */
  readonly acknowledged: number;
  /** The codes of the errors after that, in order, without repetitions. */
  readonly codes: readonly string[];
  /** How many keys can still be read. */
  readonly readable: number;
}

// The limit on file sizes is announced by a signal that would end the process; as an error it is what a full disk is.
process.on("SIGXFSZ", () => {});

const kv = await openEmbeddedKv({ folder: process.argv[2]! });
let acknowledged = 0;
const codes: string[] = [];
for (let index = 0; index < 2_000; index += 1) {
  try {
    await kv.put(`key${index}`, new Uint8Array(2_000), 0n);
    if (codes.length > 0) codes.push("acknowledged");
    acknowledged += 1;
  } catch (error) {
    const code = error instanceof KvError ? error.code : String(error);
    if (codes.at(-1) !== code) codes.push(code);
  }
}
const readable = (await kv.range("")).entries.length;
await kv.close();
writeSync(1, JSON.stringify({ acknowledged, codes, readable } satisfies FullDiskReport));
