/** Reads objects from files, folders, standard input and URLs, each with its source. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { decodeYaml } from "../../machinery/codec/yaml.ts";
import type { ProgramEnvironment } from "../environment.ts";
import { CtlError, Errors } from "../errors.ts";
import { isJson, type Json, list } from "../json.ts";
import { type FieldPath, lineOfField } from "./field-lines.ts";

export interface Manifest {
  readonly object: Json;
  /** The file, "STDIN" or the URL. */
  readonly source: string;
  /** The line on which its document starts, from 1; 0: it has none. */
  readonly line: number;
  /** The line of one of its fields, from 1; absent: only the start of the document is known. */
  readonly lineOf?: (path: FieldPath) => number;
  /** Why the document cannot be read; its object is then empty. */
  readonly problem?: CtlError;
}

/** A document that is not an object in YAML or JSON. */
export class UnreadableManifest extends CtlError {
  /** What is wrong, without the file. */
  readonly reason: string;
  readonly line: number;
  constructor(message: string, { reason, line, cause }: { reason: string; line: number; cause?: unknown }) {
    super(message, { cause });
    this.name = "UnreadableManifest";
    this.reason = reason;
    this.line = line;
  }
}

/** The maximum size of one file or URL. */
export const manifestBytesMax = 10 * 1024 * 1024;
const extensions = new Set([".json", ".yaml", ".yml"]);

export interface ManifestOptions {
  readonly filenames: readonly string[];
  readonly isRecursive: boolean;
  /** Whether the documents behind one that cannot be read are read too. */
  readonly readsOn?: boolean;
}

/** Throws if files or folders cannot be read, with all of them. Lists are split into their items. */
export async function readManifests(environment: ProgramEnvironment, options: ManifestOptions): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  const failures: unknown[] = [];
  for (const name of options.filenames) {
    try {
      manifests.push(...(await readOne(environment, name, options)));
    } catch (error) {
      if (!(error instanceof CtlError)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new Errors(failures);
  if (failures.length === 1) throw failures[0];
  return manifests;
}

async function readOne(
  environment: ProgramEnvironment,
  name: string,
  { isRecursive, readsOn = false }: ManifestOptions,
): Promise<Manifest[]> {
  if (name === "-") return parseManifests(await environment.stdin.readAll(), "STDIN", readsOn);
  if (/^https?:\/\//i.test(name)) return parseManifests(await download(name, environment.signal), name, readsOn);
  const matches =
    /[*?[]/.test(name) && !existsSync(resolve(environment.cwd, name)) ? globbed(environment.cwd, name) : [name];
  if (matches.length === 0) throw new CtlError(`the path "${name}" does not exist`);
  return matches.flatMap((match) => {
    const path = resolve(environment.cwd, match);
    if (!existsSync(path)) throw new CtlError(`the path "${name}" does not exist`);
    const files = statSync(path).isDirectory() ? filesOf(path, match, isRecursive) : [{ path, shown: match }];
    if (files.length === 0)
      throw new CtlError(`error reading [${match}]: recognized file extensions are [${[...extensions].join(" ")}]`);
    return files.flatMap((file) => parseManifests(readFile(file.path), file.shown, readsOn));
  });
}

/** The files of a folder, sorted by name; those of subfolders only on request. */
function filesOf(folder: string, shown: string, isRecursive: boolean): { path: string; shown: string }[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      const shownPath = join(shown, entry.name);
      if (statSync(path).isDirectory()) return isRecursive ? filesOf(path, shownPath, true) : [];
      return extensions.has(extname(entry.name)) ? [{ path, shown: shownPath }] : [];
    });
}

/** Patterns in the last part of a path. */
function globbed(cwd: string, pattern: string): string[] {
  const at = pattern.lastIndexOf("/");
  const [folder, last] = at < 0 ? ["", pattern] : [pattern.slice(0, at + 1), pattern.slice(at + 1)];
  const form = new RegExp(
    `^${last
      .replaceAll(/[.+^${}()|\\]/g, "\\$&")
      .replaceAll("*", "[^/]*")
      .replaceAll("?", "[^/]")}$`,
  );
  const path = resolve(cwd, folder || ".");
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => form.test(name))
    .sort()
    .map((name) => folder + name);
}

export function readFile(path: string): string {
  if (statSync(path).size > manifestBytesMax) throw new CtlError(`${path} has more than ${manifestBytesMax} bytes`);
  return readFileSync(path, "utf8");
}

async function download(url: string, signal: AbortSignal): Promise<string> {
  if (!url.toLowerCase().startsWith("https://"))
    throw new CtlError(`unable to read URL "${url}": only https is allowed; download the file and check it first`);
  const response = await fetch(url, { signal }).catch((error: unknown) => {
    // What fetch throws only says that it failed.
    throw error instanceof Error && error.cause instanceof Error
      ? new CtlError(`unable to read URL "${url}": ${error.cause.message}`, { cause: error })
      : error;
  });
  if (!response.ok)
    throw new CtlError(
      `unable to read URL "${url}", server reported ${response.status} ${response.statusText}, status code=${response.status}`,
    );
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.body !== null)
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > manifestBytesMax)
        throw new CtlError(`unable to read URL "${url}": it has more than ${manifestBytesMax} bytes`);
      chunks.push(chunk);
    }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Documents are separated by lines of three dashes; several JSON objects may follow each other. An invalid one ends its
 * file, unless `readsOn` is set.
 */
export function parseManifests(content: string, source: string, readsOn = false): Manifest[] {
  const manifests: Manifest[] = [];
  for (const { text, line } of documentsOf(content)) {
    try {
      for (const { value, ...part } of parseDocument(text, source, line)) {
        if (value === null || value === undefined) continue;
        if (!isJson(value)) {
          const reason = "an object must be a mapping";
          const at = part.line + lineOfField(part.text, []);
          throw new UnreadableManifest(`error parsing ${source}: line ${line}: ${reason}`, { reason, line: at });
        }
        manifests.push(...takeApart(value, { source, ...part, prefix: [] }));
      }
    } catch (error) {
      if (!(error instanceof UnreadableManifest)) throw error;
      manifests.push({ object: {}, source, line: error.line, problem: error });
      if (!readsOn) break;
    }
  }
  return manifests;
}

/** Where a document is from. `prefix`: the path of the object in it. */
interface Origin {
  readonly source: string;
  readonly line: number;
  readonly text: string;
  readonly prefix: FieldPath;
}

function takeApart(value: Json, origin: Origin): Manifest[] {
  const { source, line, text, prefix } = origin;
  const isList = String(value["kind"] ?? "").endsWith("List") && Array.isArray(value["items"]);
  if (isList)
    return list(value, "items").flatMap((item, at) => takeApart(item, { ...origin, prefix: [...prefix, "items", at] }));
  return [{ object: value, source, line, lineOf: (path) => line + lineOfField(text, [...prefix, ...path]) }];
}

function documentsOf(content: string): { text: string; line: number }[] {
  const documents: { text: string; line: number }[] = [];
  let lines: string[] = [];
  let start = 1;
  content
    .replace(/^\uFEFF/, "")
    .split("\n")
    .forEach((line, at) => {
      if (/^---(\s|$)/.test(line)) {
        documents.push({ text: lines.join("\n"), line: start });
        const rest = line.slice(3);
        lines = rest.trim() === "" || rest.trim().startsWith("#") ? [""] : [rest];
        start = at + 1;
      } else lines.push(line);
    });
  documents.push({ text: lines.join("\n"), line: start });
  return documents.filter(({ text }) => text.replaceAll(/^\s*#.*$/gm, "").trim() !== "");
}

interface ParsedPart {
  readonly value: unknown;
  readonly text: string;
  readonly line: number;
}

function parseDocument(text: string, source: string, line: number): ParsedPart[] {
  const several = /^\s*\{/.test(text) ? jsonObjects(text) : undefined;
  if (several === undefined || several.length < 2) return [{ value: decode(text, source, line), text, line }];
  let start = line;
  return several.map((part) => {
    const at = start;
    start += part.split("\n").length - 1;
    return { value: decode(part, source, at), text: part, line: at };
  });
}

function decode(text: string, source: string, line: number): unknown {
  try {
    return decodeYaml(Buffer.from(text));
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace("the body is not YAML: ", "");
    const isJsonText = /^\s*\{/.test(text);
    const located = reason.replace(
      /\((\d+):(\d+)\)/,
      (_, at: string, column: string) => `(line ${Number(at) + line - 1}, column ${column})`,
    );
    const where = located === reason ? `line ${line}: ` : "";
    const at = /\(line (\d+), column \d+\)/.exec(located)?.[1];
    throw new UnreadableManifest(
      isJsonText
        ? `error parsing ${source}: json: ${where}${located}`
        : `error parsing ${source}: error converting YAML to JSON: yaml: ${where}${located}`,
      {
        reason: `it is not ${isJsonText ? "JSON" : "YAML"}: ${located}`,
        line: at === undefined ? line + lineOfField(text, []) : Number(at),
        cause: error,
      },
    );
  }
}

/** Splits a text of JSON objects at the end of each; undefined: a bracket is missing. */
function jsonObjects(text: string): string[] | undefined {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isText) {
      if (char === "\\") at++;
      else if (char === '"') isText = false;
    } else if (char === '"') isText = true;
    else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") {
      depth--;
      if (depth === 0) {
        parts.push(text.slice(start, at + 1));
        start = at + 1;
      }
    }
  }
  return depth === 0 && text.slice(start).trim() === "" ? parts : undefined;
}
