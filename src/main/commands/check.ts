/** `orch check [FILE]`: checks a backup, the folder of a stopped server, etcd or PostgreSQL for damage, and for what a higher level breaks. For people and scheduled jobs. */

import { open } from "node:fs/promises";
import { FlagError } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { discardDamaged } from "../../kv/embedded/discard.ts";
import { FolderInUse } from "../../kv/embedded/lock.ts";
import { whileHistoryLasts } from "../backup/attempts.ts";
import { type CheckReport, checkBackup, checkFolder, checkRemote } from "../backup/check-store.ts";
import { describeUses } from "../backup/describe-uses.ts";
import { createProgress } from "../backup/progress.ts";
import { remoteTarget } from "../backup/source.ts";
import { checkFlags } from "../flags/backup-flags.ts";
import { partsOf } from "../stores/data-folder.ts";

/** Exits with 0 without problems (those that were discarded are none), 1 with problems, 2 when nothing could be checked. */
export async function runCheck(args: readonly string[]): Promise<void> {
  const { values, given, others } = parseFlags(checkFlags, args, { takesArguments: true });
  if (others.length > 1) throw new FlagError("orch check takes one FILE, or --data-dir, --kvstore-servers or --store");
  const remote = await remoteTarget(values);
  const places = [others.length === 1, given.has("data-dir"), remote !== undefined].filter((isGiven) => isGiven);
  if (places.length > 1) throw new FlagError("give only one of FILE, --data-dir, --kvstore-servers and --store");
  const isFolder = others.length === 0 && remote === undefined;
  if (values.discard.length > 0 && !isFolder) throw new FlagError("--discard works on a folder: give --data-dir");
  if (values.for === "" && values["audit-log"].length + values.metrics.length > 0)
    throw new FlagError("--audit-log and --metrics tell what would break at a level: give --for");
  const progress = createProgress();
  try {
    if (values.discard.length > 0) await discardDamaged(partsOf(values["data-dir"]).store, values.discard);
    const onEntries = (count: number) => progress.show(`checked: ${count} entries`);
    const [file] = others;
    const target = values.for === "" ? undefined : values.for;
    const check = () => {
      if (file !== undefined) return checkBackup(file, onEntries, target);
      return remote !== undefined
        ? checkRemote(remote, onEntries, target)
        : checkFolder(values["data-dir"], onEntries, target);
    };
    const { upgrade, ...report } = await whileHistoryLasts(check);
    progress.end();
    if (upgrade !== undefined) {
      for (const path of values["audit-log"]) await eachLine(path, upgrade.auditLine);
      for (const path of values.metrics) await eachLine(path, upgrade.metricLine);
    }
    const uses = upgrade?.uses() ?? [];
    const all = target === undefined ? report : { ...report, for: target, uses };
    const text = describe(report) + (target === undefined ? "" : describeUses(uses, target, report.checked));
    process.stdout.write(values.output === "json" ? `${JSON.stringify(all, undefined, 2)}\n` : text);
    process.exitCode = report.sound && uses.length === 0 ? 0 : 1;
  } catch (error) {
    progress.end();
    const advice = error instanceof FolderInUse ? "; or check a backup of it" : "";
    process.stderr.write(`orch: ${error instanceof Error ? error.message : String(error)}${advice}\n`);
    process.exitCode = 2;
  }
}

async function eachLine(path: string, take: (line: string) => void): Promise<void> {
  const file = await open(path);
  for await (const line of file.readLines()) take(line);
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
