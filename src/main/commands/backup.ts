/** `orch backup FILE`: all data of a server at one revision, while the server keeps running. */

import { FlagError } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { writeBackupFile } from "../../kv/backup/file.ts";
import { whileHistoryLasts } from "../backup/attempts.ts";
import { createProgress, describeBytes } from "../backup/progress.ts";
import { chunksOf } from "../backup/source.ts";
import { backupFlags } from "../flags/backup-flags.ts";

export async function runBackup(args: readonly string[]): Promise<void> {
  const { values, others } = parseFlags(backupFlags, args, { takesArguments: true });
  const [path, ...more] = others;
  if (path === undefined || more.length > 0) throw new FlagError("orch backup takes one FILE");
  const progress = createProgress();
  try {
    const onBytes = (bytes: number) => progress.show(`backup: ${describeBytes(bytes)}`);
    const write = () => writeBackupFile(path, chunksOf(values), { overwrite: values.overwrite, onBytes });
    const made = await whileHistoryLasts(write);
    progress.end();
    const size = describeBytes(made.bytes);
    process.stdout.write(`${path}: ${made.entries} entries at revision ${made.revision}, ${size}, checked\n`);
  } finally {
    progress.end();
  }
}
