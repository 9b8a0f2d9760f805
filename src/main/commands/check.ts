/** `orch check [FILE]`: checks a backup, the folder of a stopped server, or etcd for damage. For people and scheduled jobs. */

import { FlagError } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { nextTimeSlice } from "../../base/time-slice.ts";
import { readEntries } from "../../kv/backup/entries.ts";
import { readBackupFile } from "../../kv/backup/file.ts";
import { BackupError } from "../../kv/backup/format.ts";
import { type KvEntry, KvError } from "../../kv/contract.ts";
import { inspectStore } from "../../kv/embedded/inspect.ts";
import { FolderInUse } from "../../kv/embedded/lock.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { whileHistoryLasts } from "../backup/attempts.ts";
import { createObjectCheck, type ObjectCheck } from "../backup/check-objects.ts";
import { createProgress } from "../backup/progress.ts";
import { openEtcdSource } from "../backup/source.ts";
import { partsOf, vocabularyOfFolder } from "../data-folder.ts";
import { checkFlags, type EtcdFlags } from "../flags/backup-flags.ts";

/** How many problems are printed; all are counted. */
export const problemsShownMax = 100;

/** Of `-o json`. */
export interface CheckReport {
  readonly checked: string;
  readonly what: "backup" | "folder" | "store";
  readonly sound: boolean;
  readonly revision?: string;
  readonly entries: number;
  readonly objects: number;
  /** Only keys and revisions of these could be checked. */
  readonly encrypted: number;
  readonly problemsTotal: number;
  readonly problems: readonly string[];
}

/** Exits with 0 without problems, 1 with problems, 2 when nothing could be checked. */
export async function runCheck(args: readonly string[]): Promise<void> {
  const { values, given, others } = parseFlags(checkFlags, args, { takesArguments: true });
  if (others.length > 1) throw new FlagError("orch check takes one FILE, or --data-dir, or --kvstore-servers");
  const isEtcd = values["kvstore-servers"].length > 0;
  const places = [others.length === 1, given.has("data-dir"), isEtcd].filter((isGiven) => isGiven);
  if (places.length > 1) throw new FlagError("give only one of FILE, --data-dir and --kvstore-servers");
  const progress = createProgress();
  try {
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

export async function checkBackup(file: string, onEntries: (entries: number) => void = () => {}): Promise<CheckReport> {
  const findings = new Findings(onEntries);
  let revision: bigint | undefined;
  try {
    for await (const part of readBackupFile(file)) {
      if (part.is === "header") {
        revision = part.header.revision;
        findings.begin(part.header.vocabulary);
      } else if (part.is === "entry") {
        findings.entry(part.entry, revision);
      }
    }
    findings.finish();
  } catch (error) {
    if (!(error instanceof BackupError) || error.cause !== undefined) throw error; // it could not be read
    findings.problem(error.message);
  }
  return findings.report({ checked: file, what: "backup" }, revision);
}

export async function checkFolder(
  folder: string,
  onEntries: (entries: number) => void = () => {},
): Promise<CheckReport> {
  const findings = new Findings(onEntries);
  const vocabulary = await vocabularyOfFolder(folder);
  if (vocabulary === undefined) throw new FlagError(`there is no store in ${folder}`);
  findings.begin(vocabulary);
  let revision: bigint | undefined;
  try {
    const state = await inspectStore({
      folder: partsOf(folder).store,
      onEntry: (entry) => findings.entry(entry, undefined),
      onProblem: (problem) => findings.problem(problem),
    });
    revision = state.revision;
    findings.finish();
  } catch (error) {
    if (!(error instanceof KvError) || error.code !== "damaged") throw error;
    findings.problem(error.message);
  }
  return findings.report({ checked: folder, what: "folder" }, revision);
}

/** Servers may keep running: it is read at one revision. */
export async function checkEtcd(
  flags: EtcdFlags,
  onEntries: (entries: number) => void = () => {},
): Promise<CheckReport> {
  const findings = new Findings(onEntries);
  const { kv, vocabulary } = await openEtcdSource(flags);
  try {
    findings.begin(vocabulary);
    const { revision, pages } = await readEntries(kv);
    for await (const page of pages) {
      for (const entry of page) findings.entry(entry, revision);
      await nextTimeSlice();
    }
    findings.finish();
    const checked = `${flags["kvstore-servers"].join(",")} ${flags["kvstore-prefix"]}`;
    return findings.report({ checked, what: "store" }, revision);
  } finally {
    await kv.close();
  }
}

class Findings {
  readonly #onEntries: (entries: number) => void;
  readonly #problems: string[] = [];
  #total = 0;
  #entries = 0;
  #objects: ObjectCheck | undefined;

  constructor(onEntries: (entries: number) => void) {
    this.#onEntries = onEntries;
  }

  begin(vocabulary: string): void {
    if (vocabulary !== "orch" && vocabulary !== "kubernetes") {
      this.problem(`it is in the vocabulary "${vocabulary}", which this program does not know`);
    } else {
      this.#objects = createObjectCheck(vocabularyOf(vocabulary));
    }
  }

  problem(text: string): void {
    this.#total += 1;
    if (this.#problems.length < problemsShownMax) this.#problems.push(text);
  }

  entry(entry: KvEntry, revisionMax: bigint | undefined): void {
    this.#entries += 1;
    this.#onEntries(this.#entries);
    if (revisionMax !== undefined && entry.revision > revisionMax) {
      this.problem(`${JSON.stringify(entry.key)}: is newer than revision ${revisionMax}, at which everything was read`);
    }
    for (const problem of this.#objects?.problems(entry) ?? []) this.problem(problem);
  }

  finish(): void {
    for (const problem of this.#objects?.finish() ?? []) this.problem(problem);
  }

  report(about: Pick<CheckReport, "checked" | "what">, revision: bigint | undefined): CheckReport {
    return {
      ...about,
      sound: this.#total === 0,
      ...(revision === undefined ? {} : { revision: String(revision) }),
      entries: this.#entries,
      objects: this.#objects?.objects ?? 0,
      encrypted: this.#objects?.encrypted ?? 0,
      problemsTotal: this.#total,
      problems: this.#problems,
    };
  }
}

function describe(report: CheckReport): string {
  const { checked, what, sound, revision, entries, encrypted, problems, problemsTotal } = report;
  const at = revision === undefined ? "" : ` at revision ${revision}`;
  const notRead = encrypted === 0 ? "" : ` (${encrypted} encrypted objects were not decoded)`;
  if (sound) return `${checked}: the ${what} is intact, ${entries} entries${at}${notRead}\n`;
  const more = problemsTotal > problems.length ? [`and ${problemsTotal - problems.length} more`] : [];
  return `${checked}: the ${what} is damaged, ${problemsTotal} ${problemsTotal === 1 ? "problem" : "problems"}\n${[...problems, ...more].map((line) => `  ${line}\n`).join("")}`;
}
