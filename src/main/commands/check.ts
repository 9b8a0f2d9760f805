/** `orch check [FILE]`: checks a backup, the folder of a stopped server, or etcd for damage. For people and scheduled jobs. */

import { FlagError } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { discardDamaged } from "../../kv/embedded/discard.ts";
import { FolderInUse } from "../../kv/embedded/lock.ts";
import { whileHistoryLasts } from "../backup/attempts.ts";
import { type CheckReport, checkBackup, checkEtcd, checkFolder } from "../backup/check-store.ts";
import { createProgress } from "../backup/progress.ts";
import { partsOf } from "../data-folder.ts";
import { checkFlags } from "../flags/backup-flags.ts";

/** Exits with 0 without problems (those that were discarded are none), 1 with problems, 2 when nothing could be checked. */
export async function runCheck(args: readonly string[]): Promise<void> {
  const { values, given, others } = parseFlags(checkFlags, args, { takesArguments: true });
  if (others.length > 1) throw new FlagError("orch check takes one FILE, or --data-dir, or --kvstore-servers");
  const isEtcd = values["kvstore-servers"].length > 0;
  const places = [others.length === 1, given.has("data-dir"), isEtcd].filter((isGiven) => isGiven);
  if (places.length > 1) throw new FlagError("give only one of FILE, --data-dir and --kvstore-servers");
  const isFolder = others.length === 0 && !isEtcd;
  if (values.discard.length > 0 && !isFolder) throw new FlagError("--discard works on a folder: give --data-dir");
  const progress = createProgress();
  try {
    if (values.discard.length > 0) await discardDamaged(partsOf(values["data-dir"]).store, values.discard);
    const onEntries = (count: number) => progress.show(`checked: ${count} entries`);
    const [file] = others;
    const check = () => {
      if (file !== undefined) return checkBackup(file, onEntries);
      return isEtcd ? checkEtcd(values, onEntries) : checkFolder(values["data-dir"], onEntries);
    };
    const report = await whileHistoryLasts(check);
    progress.end();
    process.stdout.write(values.output === "json" ? `${JSON.stringify(report, undefined, 2)}\n` : describe(report));
    process.exitCode = report.sound ? 0 : 1;
  } catch (error) {
    progress.end();
    const advice = error instanceof FolderInUse ? ", or check a backup of it" : "";
    process.stderr.write(`orch: ${error instanceof Error ? error.message : String(error)}${advice}\n`);
    process.exitCode = 2;
  }
}

function describe(report: CheckReport): string {
  const { checked, what, sound, revision, entries, encrypted, problems, problemsTotal } = report;
  const at = revision === undefined ? "" : ` at revision ${revision}`;
  const notRead = encrypted === 0 ? "" : ` (${encrypted} encrypted objects were not decoded)`;
  if (sound) return `${checked}: the ${what} is intact, ${entries} entries${at}${notRead}\n`;
  const more = problemsTotal > problems.length ? [`and ${problemsTotal - problems.length} more`] : [];
  return `${checked}: the ${what} is damaged, ${problemsTotal} ${problemsTotal === 1 ? "problem" : "problems"}\n${[...problems, ...more, ...adviceOn(report)].map((line) => `  ${line}\n`).join("")}`;
}

/** A file with a damaged structure has nothing that could be removed alone. */
function adviceOn({ what, revision }: CheckReport): string[] {
  if (what !== "folder") return [];
  const discard = revision === undefined ? "" : ", or remove a damaged object with --discard=KEY";
  return [`restore the last good backup with "orch restore"${discard}`];
}
