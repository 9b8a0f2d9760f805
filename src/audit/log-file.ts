/** The file to which events are appended: rotated by size, with a limited number and age of old files. */

import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";

interface LogFileOptions {
  readonly path: string;
  /** Bytes after which the file is rotated. */
  readonly bytesMax: number;
  /** Old files that are kept; 0: all. */
  readonly backupsMax: number;
  /** How long old files are kept; 0: forever. */
  readonly ageMsMax: number;
  /** Whether old files are compressed with gzip. */
  readonly compress: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export interface LogFile {
  /** One after the other. Rejects when the text could not be written; then nothing of it stays. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

const fileMode = 0o600;
/** Room for what is written at once, reused: a new buffer for each write would make the garbage collector run more often. */
const encodingBytes = 512 * 1024;
const dayMs = 86_400_000;
export const usualBytesMax = 100 * 1024 * 1024;

/** Opens the file at once, so that a missing or inaccessible folder is noticed at the start. */
export async function openLogFile(options: LogFileOptions): Promise<LogFile> {
  const { path, bytesMax } = options;
  let file: FileHandle = await open(path, "a", fileMode);
  let bytes = (await file.stat()).size;
  let cleaning: Promise<void> = Promise.resolve();
  let rotatedMs = 0;
  const encode = createEncoder();

  /** A name that no old file has: two rotations within one millisecond must not replace each other's. */
  const nameAside = (): string => {
    do rotatedMs = Math.max(options.clock.now(), rotatedMs + 1);
    while (existsSync(backupName(path, rotatedMs)) || existsSync(`${backupName(path, rotatedMs)}.gz`));
    return backupName(path, rotatedMs);
  };
  const rotate = async () => {
    await moveAside(path, nameAside);
    const next = await open(path, "a", fileMode);
    await file.close();
    file = next;
    bytes = 0;
    cleaning = cleaning
      .then(() => clean(options))
      .catch((cause) => options.log.warn("old audit logs could not be removed", { cause }));
  };
  /** Strict requests append by themselves, and must not meet a rotation that is under way. */
  let last: Promise<void> = Promise.resolve();
  const write = async (text: string) => {
    const data = encode(text);
    if (bytes > 0 && bytes + data.length > bytesMax) {
      // A file that is too large loses nothing; the next write tries again.
      await rotate().catch((cause) => options.log.warn("the audit log could not be rotated", { path, cause }));
    }
    await writeWhole(file, data, bytes);
    bytes += data.length;
  };
  return {
    append(text) {
      const appended = last.then(() => write(text));
      last = appended.catch(() => {}); // its caller hears of it
      return appended;
    },
    async close() {
      await last;
      await cleaning;
      await file.close();
    },
  };
}

/** Its result is valid until the next call. */
function createEncoder(): (text: string) => Uint8Array {
  const space = Buffer.allocUnsafeSlow(encodingBytes);
  const bytesPerCharMax = 3;
  return (text) => {
    if (text.length * bytesPerCharMax > encodingBytes) return Buffer.from(text);
    return space.subarray(0, space.write(text));
  };
}

/** A log that another program has moved needs no other name. */
async function moveAside(path: string, nameAside: () => string): Promise<void> {
  await rename(path, nameAside()).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
  });
}

/** Appends all of `data` to a file of `bytes` bytes, or nothing: the beginning of a line would spoil the next line. */
export async function writeWhole(
  file: Pick<FileHandle, "write" | "truncate">,
  data: Uint8Array,
  bytes: number,
): Promise<void> {
  try {
    for (let at = 0; at < data.length; ) at += (await file.write(data, at)).bytesWritten;
  } catch (cause) {
    await file.truncate(bytes).catch(() => {}); // the first problem is the one to hear of
    throw cause;
  }
}

/** audit.log -> audit-2021-06-01T12-00-00.000.log */
export function backupName(path: string, ms: number): string {
  const extension = extname(path);
  const time = new Date(ms).toISOString().replaceAll(":", "-").replace("Z", "");
  return join(dirname(path), `${basename(path, extension)}-${time}${extension}`);
}

/** Old files of this log, newest first, with the time of their rotation. */
async function backups(path: string): Promise<readonly { readonly path: string; readonly ms: number }[]> {
  const extension = extname(path);
  const prefix = `${basename(path, extension)}-`;
  const found = (await readdir(dirname(path))).flatMap((name) => {
    const plain = name.endsWith(".gz") ? name.slice(0, -3) : name;
    if (!plain.startsWith(prefix) || !plain.endsWith(extension)) return [];
    const time = plain.slice(prefix.length, plain.length - extension.length);
    const ms = Date.parse(`${time.replace(/T(\d\d)-(\d\d)-(\d\d)/, "T$1:$2:$3")}Z`);
    return Number.isNaN(ms) ? [] : [{ path: join(dirname(path), name), ms }];
  });
  return found.sort((a, b) => b.ms - a.ms);
}

async function clean({ path, backupsMax, ageMsMax, compress, clock }: LogFileOptions): Promise<void> {
  if (backupsMax === 0 && ageMsMax === 0 && !compress) return;
  const all = await backups(path);
  const oldest = ageMsMax > 0 ? clock.now() - ageMsMax : Number.NEGATIVE_INFINITY;
  const isKept = ({ ms }: { ms: number }, index: number) => (backupsMax === 0 || index < backupsMax) && ms >= oldest;
  for (const [index, backup] of all.entries()) {
    if (!isKept(backup, index)) await rm(backup.path, { force: true });
    else if (compress && !backup.path.endsWith(".gz")) await gzipFile(backup.path);
  }
}

async function gzipFile(path: string): Promise<void> {
  const draft = `${path}.gz.new`;
  await pipeline(createReadStream(path), createGzip(), createWriteStream(draft, { mode: fileMode }));
  await rename(draft, `${path}.gz`);
  await rm(path, { force: true });
}

export const daysMs = (days: number): number => days * dayMs;
