/** Reads the bytes of a backup record by record, and refuses damage naming where it is. */

import { createHash } from "node:crypto";
import { keyOrder } from "../../base/key-order.ts";
import type { KvEntry } from "../contract.ts";
import {
  BackupError,
  type BackupHeader,
  backupFormat,
  decodeEntry,
  decodeHeader,
  decodeSeal,
  frameBytes,
  kindEntry,
  kindHeader,
  kindSeal,
  magic,
  recordBytesMax,
  recordChecksum,
} from "./format.ts";

export type BackupPart =
  | { readonly is: "header"; readonly header: BackupHeader; readonly at: number }
  | { readonly is: "entry"; readonly entry: KvEntry; readonly at: number }
  /** The last one: everything before it was complete and undamaged. */
  | { readonly is: "seal"; readonly entries: number; readonly sha256: string; readonly at: number };

/** How many bytes are hashed at once. */
const digestBytes = 64 * 1024;

/** Throws BackupError unless the bytes are one whole backup. `at` is where a part begins. */
export async function* readBackup(chunks: AsyncIterable<Buffer>): AsyncGenerator<BackupPart> {
  const input = new Input(chunks);
  if (!(await input.take(magic.length))?.equals(magic)) throw new BackupError("this is not a backup of orch");
  const digest = new Digest();
  digest.add(magic);
  let header: BackupHeader | undefined;
  let entries = 0;
  let lastKey = "";
  for (;;) {
    const at = input.at;
    const place = () => describePlace(entries, header, at, lastKey);
    const record = await readRecord(input, place);
    const body = record.subarray(frameBytes);
    const kind = record[0];
    if (header === undefined) {
      header = readHeader(kind, body);
      yield { is: "header", header, at };
    } else if (kind === kindEntry) {
      const entry = decodeEntry(body);
      if (entry === undefined) throw new BackupError(`the backup is damaged: ${place()} is not an entry`);
      if (entries > 0 && keyOrder(entry.key) <= keyOrder(lastKey)) {
        throw new BackupError(`the backup is damaged: ${place()}, key ${quote(entry.key)}, is out of order`);
      }
      lastKey = entry.key;
      entries += 1;
      yield { is: "entry", entry, at };
    } else if (kind === kindSeal) {
      const seal = decodeSeal(body);
      const sha256 = digest.hex();
      if (seal === undefined || seal.sha256 !== sha256 || seal.entries !== entries) {
        throw new BackupError(
          `the backup is damaged: its seal at byte ${at} does not fit the ${entries} entries before it`,
        );
      }
      if (!(await input.isAtEnd())) throw new BackupError(`the backup is damaged: bytes follow its seal at byte ${at}`);
      yield { is: "seal", entries, sha256, at };
      return;
    } else {
      throw new BackupError(`the backup is damaged: ${place()} has the unknown kind ${kind}`);
    }
    digest.add(record);
  }
}

/** Of many small pieces: each call of the hash costs more than a record's bytes. */
class Digest {
  readonly #hash = createHash("sha256");
  #pieces: Buffer[] = [];
  #bytes = 0;

  add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes >= digestBytes) this.#flush();
  }

  /** Of all pieces; nothing can be added after it. */
  hex(): string {
    this.#flush();
    return this.#hash.digest("hex");
  }

  #flush(): void {
    this.#hash.update(Buffer.concat(this.#pieces, this.#bytes));
    this.#pieces = [];
    this.#bytes = 0;
  }
}

async function readRecord(input: Input, place: () => string): Promise<Buffer> {
  const frame = await input.peek(frameBytes);
  if (frame === undefined) throw cutOff(input, place());
  const length = frame.readUInt32BE(1);
  if (length > recordBytesMax) throw new BackupError(`the backup is damaged: ${place()} claims ${length} bytes`);
  const record = await input.take(frameBytes + length);
  if (record === undefined) throw cutOff(input, place());
  if (record.readUInt32BE(5) !== recordChecksum(record)) {
    throw new BackupError(`the backup is damaged: ${place()} does not fit its checksum`);
  }
  return record;
}

function readHeader(kind: number | undefined, body: Buffer): BackupHeader {
  const header = kind === kindHeader ? decodeHeader(body) : undefined;
  if (header === undefined) throw new BackupError("the backup is damaged: it does not begin with a header");
  if (header.format > backupFormat) {
    const known = `this program supports formats up to ${backupFormat}`;
    throw new BackupError(`the backup has format ${header.format}, and ${known}: use a newer program`);
  }
  return header;
}

function describePlace(entries: number, header: BackupHeader | undefined, at: number, lastKey: string): string {
  if (header === undefined) return `its header at byte ${at}`;
  const after = entries === 0 ? "the first one" : `after key ${quote(lastKey)}`;
  return `record ${entries + 1} at byte ${at} (${after})`;
}

const cutOff = (input: Input, place: string) =>
  new BackupError(`the backup is truncated: it ends at byte ${input.end}, within ${place}`);

/** How much of a key a message shows. */
const shownKeyChars = 200;
const quote = (key: string) => JSON.stringify(key.slice(0, shownKeyChars));

/** Bytes that arrive in chunks of any size, taken in pieces of a given size. */
class Input {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);
  /** How many bytes have been taken. */
  at = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** How many bytes have arrived. */
  get end(): number {
    return this.at + this.#held.length;
  }

  /** Undefined: there are fewer. */
  async peek(bytes: number): Promise<Buffer | undefined> {
    if (this.#held.length < bytes) await this.#fill(bytes);
    return this.#held.length < bytes ? undefined : this.#held.subarray(0, bytes);
  }

  async take(bytes: number): Promise<Buffer | undefined> {
    const taken = await this.peek(bytes);
    if (taken === undefined) return undefined;
    this.#held = this.#held.subarray(bytes);
    this.at += bytes;
    return taken;
  }

  async isAtEnd(): Promise<boolean> {
    return (await this.peek(1)) === undefined;
  }

  async #fill(bytes: number): Promise<void> {
    const parts = [this.#held];
    let size = this.#held.length;
    while (size < bytes) {
      const next = await this.#chunks.next();
      if (next.done) break;
      parts.push(next.value);
      size += next.value.length;
    }
    this.#held = parts.length === 1 ? this.#held : Buffer.concat(parts, size);
  }
}
