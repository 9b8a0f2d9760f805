/** `tar`: archives, as `cp` of clients uses them. */

import { posix } from "node:path";
import { entryTypes, TarError } from "../../../base/tar/header.ts";
import { readTar } from "../../../base/tar/reader.ts";
import { type TarSource, writeTar } from "../../../base/tar/writer.ts";
import { FileError, type Files, type ProgramCall, type ShellProgram } from "../host.ts";
import { readAll, write } from "../streams.ts";
import type { Run } from "../wait.ts";
import { complains } from "./answers.ts";
import { heldBytesMax } from "./text.ts";

/** What an archive has beside its files. */
const archiveBytesMax = heldBytesMax * 2;

/** As `cp` calls it: `tar cf - PATH` and `tar -xmf - -C FOLDER`. */
export const tar: ShellProgram = {
  name: "tar",
  understands: (args) => args.some((arg) => arg !== undefined && operationAt.test(arg)),
  *run(call) {
    const operation = call.args.find((word) => operationAt.test(word)) ?? "";
    const folderAt = call.args.indexOf("-C");
    const folder = posix.resolve(call.folder, folderAt < 0 ? "." : (call.args[folderAt + 1] ?? "/"));
    try {
      if (operation.includes("x")) return yield* extract(call, folder);
      const path = call.args.at(-1) ?? "/";
      const found = filesBelow(call.host.files, posix.resolve(folder, path));
      if (found.length === 0) return yield* complains(call, `${path}: Cannot stat: No such file or directory`, 2);
      const archive = yield* called(collect(writeTar(found)));
      for (const chunk of archive) yield* write(call.streams.stdout, chunk);
      return 0;
    } catch (error) {
      if (error instanceof TarError || error instanceof FileError) return yield* complains(call, error.message, 2);
      throw error;
    }
  },
};

const operationAt = /^-?[xc]m?f$/;

function* extract(call: ProgramCall, folder: string): Run {
  const archive = yield* readAll(call.streams.stdin, archiveBytesMax);
  if (archive.length > archiveBytesMax) return yield* complains(call, "No space left on device", 2);
  yield* called(putAll(call.host.files, folder, archive));
  return 0;
}

async function putAll(files: Files, folder: string, archive: Buffer): Promise<void> {
  for await (const { name, type, mode, mtime, body } of readTar(once(archive))) {
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    const path = posix.resolve("/", folder, name);
    if (type === entryTypes.file) files.put(path, Buffer.concat(chunks), { mode, changedMs: mtime * 1_000 });
  }
}

async function* once(archive: Buffer): AsyncGenerator<Buffer> {
  yield archive;
}

function filesBelow(files: Files, path: string): TarSource[] {
  const kind = files.kind(path);
  if (kind === undefined) return [];
  if (kind === "folder") return (files.list(path) ?? []).flatMap((name) => filesBelow(files, posix.join(path, name)));
  const bytes = files.read(path) ?? Buffer.alloc(0);
  const { mode, changedMs } = files.metaOf(path);
  const mtime = Math.floor(changedMs / 1_000);
  return [{ name: path.slice(1), type: entryTypes.file, size: bytes.length, mode, mtime, linkName: "", body: [bytes] }];
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<readonly Buffer[]> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

/** Waits for work of this machine. */
function* called<T>(work: Promise<T>): Run<T> {
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  const done = work.then(
    (value) => {
      outcome = { value };
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  while (outcome === undefined) yield { at: "call", done };
  const result = outcome as { readonly value: T } | { readonly error: unknown }; // it was set meanwhile
  if ("error" in result) throw result.error;
  return result.value;
}
