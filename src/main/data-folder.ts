/** The folder in which a server stores its objects. It records the vocabulary it was created with and refuses another. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { vocabularyByName } from "../vocabulary/by-name.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { createPrivateFile, openFolder, readPrivateFile } from "./pki/private-files.ts";

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
  const path = join(folder, "folder.json");
  let text = await readPrivateFile(path);
  if (text === undefined) {
    await createPrivateFile(path, `${JSON.stringify({ vocabulary })}\n`);
    text = (await readPrivateFile(path)) ?? "";
  }
  const known = rememberedVocabulary(path, text);
  if (known !== vocabulary) {
    throw new DataFolderError(
      `${folder} holds objects in the vocabulary "${known}"; start with --vocabulary=${known}, or with another --data-dir`,
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
  const path = join(folder, "folder.json");
  const text = await readPrivateFile(path);
  return text === undefined ? undefined : rememberedVocabulary(path, text);
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

/** The paths in the folder, whether or not the files exist yet. */
export function partsOf(folder: string): DataFolder {
  return { store: join(folder, storeName), pki: join(folder, "pki"), clientConfiguration: join(folder, "admin.conf") };
}

function rememberedVocabulary(path: string, text: string): string {
  try {
    const { vocabulary } = JSON.parse(text) as { vocabulary?: unknown };
    if (typeof vocabulary === "string") return vocabulary;
  } catch {
    // Reported below, with the file's name.
  }
  throw new DataFolderError(`${path} is damaged: it must hold {"vocabulary":"orch"} or {"vocabulary":"kubernetes"}`);
}
