/** The folder in which a server stores its objects. It records their vocabulary, and refuses another, and their level. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Level, levels } from "../../machinery/schema/levels.ts";
import { vocabularyByName } from "../../vocabulary/by-name.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { createPrivateFile, openFolder, readPrivateFile, writePrivateFile } from "../pki/private-files.ts";

export interface DataFolder {
  /** The folder of the embedded store. */
  readonly store: string;
  readonly pki: string;
  /** The admin's client configuration. */
  readonly clientConfiguration: string;
}

const storeName = "store";

/** The folder cannot be used as requested; the message says what to change. */
export class DataFolderError extends Error {}

/** The folder itself may be shared (a mounted disk); its contents may not, and each part checks its own files. */
export async function openDataFolder(
  folder: string,
  vocabulary: string,
  { isRestore = false }: { readonly isRestore?: boolean } = {},
): Promise<DataFolder> {
  await openFolder(folder, "data-dir");
  if (!isRestore) refuseUnfinished(folder);
  if ((await readRecord(folder)) === undefined)
    await createPrivateFile(recordPath(folder), printRecord({ vocabulary }));
  const known = (await readRecord(folder))?.vocabulary;
  if (known !== vocabulary) {
    throw new DataFolderError(
      `${folder} holds objects in the vocabulary "${known}"; start with --vocabulary=${known} or without --like, or with another --data-dir`,
    );
  }
  return partsOf(folder);
}

/** A restore that was killed leaves its draft and no store; a server that started then would begin with nothing. */
function refuseUnfinished(folder: string): void {
  const names = readdirSync(folder);
  if (names.includes(storeName) || !names.some((name) => name.startsWith(`${storeName}.filling-`))) return;
  throw new DataFolderError(`a restore into ${folder} did not finish: run it again, or remove the folder`);
}

/** The vocabulary of a folder that was used before; undefined: it was not. */
export async function vocabularyOfFolder(folder: string): Promise<string | undefined> {
  return (await readRecord(folder))?.vocabulary;
}

/** The level of the objects in the folder; undefined: none was recorded. */
export async function levelOfFolder(folder: string): Promise<Level | undefined> {
  const level = (await readRecord(folder))?.level;
  if (level === undefined) return undefined;
  const known = levels.find((each) => each === level);
  if (known !== undefined) return known;
  const fix = "use the program that wrote it, or another --data-dir";
  throw new DataFolderError(`${folder} holds objects of level ${level}, which this program does not have; ${fix}`);
}

/** Flags whose --vocabulary is that of the data folder, unless it is set. */
export async function withVocabularyOfFolder<
  F extends { readonly vocabulary: Vocabulary["name"]; readonly "data-dir": string },
>(flags: F, given: ReadonlySet<string>): Promise<F> {
  if (given.has("vocabulary")) return flags;
  const known = await vocabularyOfFolder(flags["data-dir"]);
  const vocabulary = known === undefined ? undefined : vocabularyByName(known);
  return vocabulary === undefined ? flags : { ...flags, vocabulary: vocabulary.name };
}

/** Flags whose --emulated-version is that of the objects in the data folder, unless it is set. */
export async function withLevelOfFolder<F extends { readonly "emulated-version": Level; readonly "data-dir": string }>(
  flags: F,
  given: ReadonlySet<string>,
): Promise<F> {
  const level = given.has("emulated-version") ? undefined : await levelOfFolder(flags["data-dir"]);
  return level === undefined ? flags : { ...flags, "emulated-version": level };
}

/** Records the level that the objects in the folder have from now on, and returns the lower one that was recorded before, if any. */
export async function recordLevel(folder: string, level: Level): Promise<Level | undefined> {
  const record = await readRecord(folder);
  if (record === undefined || record.level === level) return undefined;
  await writePrivateFile(recordPath(folder), printRecord({ ...record, level }));
  return levels.find((each) => each === record.level);
}

/** The paths in the folder, whether or not the files exist yet. */
export function partsOf(folder: string): DataFolder {
  return { store: join(folder, storeName), pki: join(folder, "pki"), clientConfiguration: join(folder, "admin.conf") };
}

/** What the folder records about its objects. */
interface FolderRecord {
  readonly vocabulary: string;
  /** Absent: they are in no store of the folder, or of a program that recorded none. */
  readonly level?: string;
}

const recordPath = (folder: string) => join(folder, "folder.json");
const printRecord = (record: FolderRecord) => `${JSON.stringify(record)}\n`;

/** Undefined: the folder was not used before. */
async function readRecord(folder: string): Promise<FolderRecord | undefined> {
  const path = recordPath(folder);
  const text = await readPrivateFile(path);
  if (text === undefined) return undefined;
  try {
    const { vocabulary, level } = JSON.parse(text) as { vocabulary?: unknown; level?: unknown };
    if (typeof vocabulary === "string" && vocabularyByName(vocabulary) !== undefined)
      return typeof level === "string" ? { vocabulary, level } : { vocabulary };
  } catch {
    // Reported below, with the file's name.
  }
  throw new DataFolderError(`${path} is damaged: it must hold {"vocabulary":"orch"} or {"vocabulary":"kubernetes"}`);
}
