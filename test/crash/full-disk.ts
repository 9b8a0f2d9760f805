/** The process that writes until the disk is full, and reports the outcome. */

import { writeSync } from "node:fs";
import { KvError } from "../../src/kv/contract.ts";
import { openEmbeddedKv } from "../../src/kv/embedded/embedded.ts";

/** One line each: a write that was acknowledged, an error other than the one before, and the end with what can be read. */
export type FullDiskLine = { readonly done: string } | { readonly error: string } | { readonly readable: number };

function note(line: FullDiskLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

// The limit on file sizes is announced by a signal that would end the process; as an error it looks like a bad disk.
process.on("SIGXFSZ", () => {});

const kv = await openEmbeddedKv({ folder: process.argv[2]! });
let lastError = "";
for (let index = 0; index < 2_000; index += 1) {
  const key = `key${index}`;
  try {
    await kv.put(key, new Uint8Array(2_000), 0n);
    note({ done: key });
  } catch (error) {
    const code = error instanceof KvError ? error.code : String(error);
    if (code !== lastError) note({ error: code });
    lastError = code;
  }
}
note({ readable: (await kv.range("")).entries.length });
await kv.close();
