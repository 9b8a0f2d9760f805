/** Reads the objects of a file or of a folder of YAML and JSON, as `ctl export`, `get -o yaml` and `cluster-info dump` write them. */

import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { yamlEngine } from "../../machinery/codec/yaml-engine.ts";
import { isObject } from "../../machinery/json/json-value.ts";

export interface SourcedObject {
  readonly object: Readonly<Record<string, unknown>>;
  /** The file; undefined: given as an object. */
  readonly source: string | undefined;
}

/** The maximum size of one file: the text of a file, and its objects, are in memory at once. */
export const fileBytesMax = 256 * 1024 * 1024;
const extensions = new Set([".json", ".yaml", ".yml"]);

/** With subfolders, in the order of names; other files, such as logs, are passed over. Lists are taken apart. Throws if there is none. */
export async function readObjects(path: string): Promise<SourcedObject[]> {
  const files = (await stat(path)).isDirectory() ? await filesOf(path) : [path];
  if (files.length === 0) throw new Error(`${path} has no files that end with ${[...extensions].join(", ")}`);
  const objects: SourcedObject[] = [];
  for (const file of files) objects.push(...(await readFileObjects(file)));
  return objects;
}

async function filesOf(folder: string): Promise<string[]> {
  const files: string[] = [];
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await filesOf(path)));
    else if (extensions.has(extname(entry.name))) files.push(path);
  }
  return files;
}

async function readFileObjects(path: string): Promise<SourcedObject[]> {
  const { size } = await stat(path);
  if (size > fileBytesMax) throw new Error(`${path} has more than ${fileBytesMax} bytes`);
  const text = await readFile(path, "utf8");
  return documentsOf(text, path).flatMap((document) => objectsIn(document, path));
}

/** What a document holds: one object, the items of a list, or nothing. */
export function objectsIn(document: unknown, source?: string): SourcedObject[] {
  if (document === null || document === undefined) return [];
  if (!isObject(document)) throw new Error(`${source ?? "an object"}: an object must be a mapping`);
  const { kind, items } = document;
  // Empty lists of cluster-info dump have the items null.
  if (typeof kind === "string" && kind.endsWith("List") && (Array.isArray(items) || items === null))
    return (items ?? []).flatMap((item) => objectsIn(withTypeOf(document, item), source));
  return [{ object: document, source }];
}

/** Items of a typed list, such as a PodList, need not name their kind. */
function withTypeOf(list: Readonly<Record<string, unknown>>, item: unknown): unknown {
  if (!isObject(item) || item["kind"] !== undefined || list["kind"] === "List") return item;
  return { apiVersion: list["apiVersion"], kind: String(list["kind"]).slice(0, -"List".length), ...item };
}

/** Integers of so many digits may be more than a number can hold, and are read by the YAML parser, which keeps them exact. */
const longInteger = /\d{16}/;

function documentsOf(text: string, source: string): unknown[] {
  if (/^\s*[{[]/.test(text) && !longInteger.test(text)) {
    try {
      return [JSON.parse(text)];
    } catch {
      // Several documents, or flow style; the YAML parser says what is wrong, if anything.
    }
  }
  const { loadAll, read } = yamlEngine();
  try {
    return loadAll(text.replace(/^\uFEFF/, ""), { schema: read });
  } catch (cause) {
    throw new Error(`${source} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
