/** Copies files and folders from and to containers, as an archive that the container's own tar reads or writes. */

import { lstat } from "node:fs/promises";
import { basename, posix, resolve } from "node:path";
import { pack } from "../../base/tar/pack.ts";
import { archivePrefix } from "../../base/tar/place.ts";
import { unpack } from "../../base/tar/unpack.ts";
import { writeTar } from "../../base/tar/writer.ts";
import type { Copied, RemoteProcess } from "./contract.ts";

/** Runs a command in the container. */
type Run = (command: readonly string[], stdin?: AsyncIterable<Uint8Array>) => Promise<RemoteProcess>;

/** A path in an existing folder if `path` is one, as cp has it. */
export async function copyToContainer(run: Run, local: string, path: string): Promise<Copied> {
  const source = resolve(local);
  await lstat(source); // before anything runs in the container
  const asked = path.length > 1 ? path.replace(/\/+$/, "") : path;
  const { exitCode } = await (await run(["test", "-d", asked])).output();
  const target = exitCode === 0 ? posix.join(asked, basename(source)) : asked;
  const skipped: string[] = [];
  const broken: { reason?: unknown } = {};
  const archive = noting(writeTar(pack(source, posix.basename(target), (message) => skipped.push(message))), broken);
  const unpacking = await run(["tar", "-xmf", "-", "-C", posix.dirname(target)], archive);
  const ended = await unpacking.output().catch((error: unknown) => {
    throw broken.reason ?? error;
  });
  throwFailed(ended, path);
  return { skipped };
}

/** A file that cannot be read ends the copy with its own error, and not with that of the connection. */
async function* noting(source: AsyncIterable<Uint8Array>, broken: { reason?: unknown }): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    broken.reason = error;
    throw error;
  }
}

/** Throws if the archive has what was not asked for: entries outside the path are never written. */
export async function copyFromContainer(run: Run, path: string, local: string): Promise<Copied> {
  const packing = await run(["tar", "cf", "-", path]);
  try {
    const errors = new Response(packing.stderr).text();
    errors.catch(() => undefined); // the exit code fails as well
    const skipped: string[] = [];
    const { outside } = await unpack({
      archive: packing.stdout,
      prefix: archivePrefix(path),
      destination: resolve(local),
      warn: (message) => skipped.push(message),
    });
    throwFailed({ exitCode: await packing.exitCode, stderr: await errors }, path);
    if (outside > 0)
      throw new Error(
        `cp: the archive is not the requested one: ${outside} of its entries are outside ${path} and were skipped`,
      );
    return { skipped };
  } finally {
    await packing.close();
  }
}

function throwFailed({ exitCode, stderr }: { readonly exitCode: number; readonly stderr: string }, path: string): void {
  if (exitCode !== 0) throw new Error(`cp: tar ended with ${exitCode} for ${path} in the container: ${stderr.trim()}`);
}
