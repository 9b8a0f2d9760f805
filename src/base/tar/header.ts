/** The 512 bytes that every entry of a tar archive begins with: ustar, and what GNU tar adds for large sizes. */

export const blockBytes = 512;

export const entryTypes = {
  file: "0",
  hardLink: "1",
  symbolicLink: "2",
  characterDevice: "3",
  blockDevice: "4",
  directory: "5",
  fifo: "6",
  /** The next entry's name, link and size, as pairs. */
  pax: "x",
  paxGlobal: "g",
  longName: "L",
  longLink: "K",
} as const;

export interface TarHeader {
  readonly name: string;
  /** One of entryTypes, or a character of an extension that we do not know. */
  readonly type: string;
  readonly size: number;
  readonly mode: number;
  /** Seconds since 1970. */
  readonly mtime: number;
  /** "" where there is none. */
  readonly linkName: string;
}

export class TarError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TarError";
  }
}

const fields = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  linkName: [157, 100],
  magic: [257, 8],
  prefix: [345, 155],
} as const;
const zeros = Buffer.alloc(blockBytes);
type Field = keyof typeof fields;

/** How many bytes of a name a header holds. */
export const nameBytesMax = fields.name[1];

/** Undefined: a block of zeros, which is how an archive ends. */
export function readHeader(block: Buffer): TarHeader | undefined {
  if (block.equals(zeros)) return undefined;
  if (readNumber(block, "checksum") !== checksumOf(block)) throw new TarError("a header of the archive is damaged");
  const magic = readText(block, "magic");
  // GNU tar keeps other things where ustar has the first part of a long name.
  const prefix = magic === "ustar" ? readText(block, "prefix") : "";
  const name = readText(block, "name");
  const type = readText(block, "type") || entryTypes.file;
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    type: type === "7" ? entryTypes.file : type, // a "contiguous" file is a file
    size: readNumber(block, "size"),
    mode: readNumber(block, "mode") & 0o7777,
    mtime: readNumber(block, "mtime"),
    linkName: readText(block, "linkName"),
  };
}

/** Names and links that are too long are cut off: another entry has said them before. */
export function writeHeader(header: TarHeader): Buffer {
  const block = Buffer.alloc(blockBytes);
  writeText(block, "name", header.name);
  writeNumber(block, "mode", header.mode & 0o7777);
  writeNumber(block, "uid", 0);
  writeNumber(block, "gid", 0);
  writeNumber(block, "size", header.size);
  writeNumber(block, "mtime", Math.max(0, Math.floor(header.mtime)));
  block.write(header.type, fields.type[0], "latin1");
  writeText(block, "linkName", header.linkName);
  block.write("ustar\u000000", fields.magic[0], "latin1");
  block.write(`${checksumOf(block).toString(8).padStart(6, "0")}\u0000 `, fields.checksum[0], "latin1");
  return block;
}

function checksumOf(block: Buffer): number {
  const [start, length] = fields.checksum;
  let sum = 0x20 * length; // it counts as spaces
  for (let at = 0; at < start; at++) sum += block[at]!;
  for (let at = start + length; at < blockBytes; at++) sum += block[at]!;
  return sum;
}

function readText(block: Buffer, field: Field): string {
  const [start, length] = fields[field];
  const bytes = block.subarray(start, start + length);
  const end = bytes.indexOf(0);
  return bytes.toString("utf8", 0, end < 0 ? length : end);
}

/** Octal digits or, with the first bit set, a binary number. */
function readNumber(block: Buffer, field: Field): number {
  const [start, length] = fields[field];
  if ((block[start]! & 0x80) !== 0) {
    let value = 0n;
    for (let at = start; at < start + length; at++)
      value = value * 256n + BigInt(at === start ? block[at]! & 0x7f : block[at]!);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new TarError(`the ${field} of an entry is too large`);
    return Number(value);
  }
  const digits = readText(block, field).trim();
  if (!/^[0-7]*$/.test(digits)) throw new TarError(`the ${field} of an entry is not a number`);
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}

function writeText(block: Buffer, field: Field, text: string): void {
  const [start, length] = fields[field];
  Buffer.from(text).copy(block, start, 0, length);
}

function writeNumber(block: Buffer, field: Field, value: number): void {
  const [start, length] = fields[field];
  const digits = value.toString(8);
  if (digits.length < length) {
    block.write(`${digits.padStart(length - 1, "0")}\u0000`, start, "latin1");
    return;
  }
  let rest = BigInt(value);
  for (let at = start + length - 1; at > start; at--, rest /= 256n) block[at] = Number(rest % 256n);
  block[start] = 0x80;
}

/** Bytes that fill up the last block of an entry. */
export const paddingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes;
