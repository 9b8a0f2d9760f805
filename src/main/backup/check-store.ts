/** Checks a backup, the folder of a stopped server, or etcd for damage. */

import { FlagError } from "../../base/flags/flag.ts";
import { nextTimeSlice } from "../../base/time-slice.ts";
import { readEntries } from "../../kv/backup/entries.ts";
import { readBackupFile } from "../../kv/backup/file.ts";
import { BackupError } from "../../kv/backup/format.ts";
import { type KvEntry, KvError } from "../../kv/contract.ts";
import { inspectStore } from "../../kv/embedded/inspect.ts";
import type { Level } from "../../machinery/schema/levels.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { partsOf, vocabularyOfFolder } from "../stores/data-folder.ts";
import { nameOf, type RemoteTarget } from "../stores/store.ts";
import { createObjectCheck, type ObjectCheck } from "./check-objects.ts";
import { openRemoteSource } from "./source.ts";
import { createUpgradeCheck, type UpgradeCheck } from "./upgrade-check.ts";

/** How many problems are printed; all are counted. */
export const problemsShownMax = 100;

/** What `-o json` prints. */
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
  /** What was found about a higher level, if one was asked for. */
  readonly upgrade?: UpgradeCheck;
}

export async function checkBackup(
  file: string,
  onEntries: (entries: number) => void = () => {},
  target?: Level,
): Promise<CheckReport> {
  const findings = new Findings(onEntries, target);
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
  target?: Level,
): Promise<CheckReport> {
  const findings = new Findings(onEntries, target);
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
export async function checkRemote(
  target: RemoteTarget,
  onEntries: (entries: number) => void = () => {},
  level?: Level,
): Promise<CheckReport> {
  const findings = new Findings(onEntries, level);
  const { kv, vocabulary } = await openRemoteSource(target);
  try {
    findings.begin(vocabulary);
    const { revision, pages } = await readEntries(kv);
    for await (const page of pages) {
      for (const entry of page) findings.entry(entry, revision);
      await nextTimeSlice();
    }
    findings.finish();
    return findings.report({ checked: nameOf(target), what: "store" }, revision);
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
  readonly #target: Level | undefined;
  #upgrade: UpgradeCheck | undefined;

  constructor(onEntries: (entries: number) => void, target: Level | undefined) {
    this.#onEntries = onEntries;
    this.#target = target;
  }

  begin(vocabulary: string): void {
    if (vocabulary !== "orch" && vocabulary !== "kubernetes") {
      this.problem(`it is in the vocabulary "${vocabulary}", which this program does not know`);
    } else {
      this.#objects = createObjectCheck(vocabularyOf(vocabulary));
      if (this.#target !== undefined) this.#upgrade = createUpgradeCheck(vocabularyOf(vocabulary), this.#target);
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
    this.#upgrade?.entry(entry);
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
      ...(this.#upgrade === undefined ? {} : { upgrade: this.#upgrade }),
    };
  }
}
