/** Client configuration files: their contents, and how several are merged into one configuration. */

import { dirname, isAbsolute, join } from "node:path";
import { decodeYaml } from "../../machinery/codec/yaml.ts";
import { isObject, type JsonObject } from "../../machinery/json/json-value.ts";
import { shown } from "./shown.ts";

/** An entry of a list of the file, and the file that it came from: relative paths in it are relative to that file. */
export interface Located {
  readonly value: JsonObject;
  /** Undefined: made by flags or given by a program, not read from a file. */
  readonly file: string | undefined;
}

/** The merged configuration of files and overrides. The maps keep the order of the files. */
export interface MergedConfig {
  readonly clusters: ReadonlyMap<string, Located>;
  readonly users: ReadonlyMap<string, Located>;
  readonly contexts: ReadonlyMap<string, Located>;
  readonly currentContext: string;
  readonly preferences: JsonObject;
  readonly extensions: readonly unknown[];
}

/** One file as it was read. An absent file has the value undefined. */
export interface ConfigFile {
  /** "": it was not read from a file. */
  readonly path: string;
  readonly value: JsonObject | undefined;
}

/** A configuration that cannot be used; the message names the wrong file or entry, and never contains a secret. */
export class ConfigError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ConfigError";
  }
}

/** The credentials of a user could not be got. `reason` goes on a sentence. */
export class CredentialsError extends ConfigError {
  constructor(reason: string, cause?: unknown) {
    super(`getting credentials: ${reason}`, cause);
    this.name = "CredentialsError";
  }
}

/** The configuration has no such context. */
export class ContextNotFound extends ConfigError {
  constructor(name: string, hint = "") {
    super(`context was not found for specified context: ${name}${hint}`);
    this.name = "ContextNotFound";
  }
}

export const emptyConfig: MergedConfig = {
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
  currentContext: "",
  preferences: {},
  extensions: [],
};

/** The parsed text of one file. Throws ConfigError naming the file. */
export function parseConfigFile(path: string, text: string): JsonObject {
  let value: unknown;
  try {
    value = decodeYaml(Buffer.from(text));
  } catch (error) {
    // Without the cause, which has the whole text.
    throw problemOf(`file "${path}"`, error instanceof Error ? error.message : String(error));
  }
  return checkConfig(`file "${path}"`, value ?? {});
}

/** `source`: what the error calls it. Throws ConfigError. */
function checkConfig(source: string, value: unknown): JsonObject {
  if (!isObject(value)) throw problemOf(source, "a client configuration must be an object");
  const version = value["apiVersion"] ?? "v1";
  const kind = value["kind"] ?? "Config";
  if (version !== "v1" || kind !== "Config")
    throw problemOf(
      source,
      `no kind "${shown(String(kind))}" is registered for version "${shown(String(version))}", only Config of v1`,
    );
  for (const list of lists) {
    const entries = value[list] ?? [];
    if (!Array.isArray(entries) || entries.some((entry) => !isObject(entry) || typeof entry["name"] !== "string"))
      throw problemOf(source, `${list} must be a list of entries that have a name`);
  }
  return value;
}

/** The configuration as a text in YAML or JSON, or as its object. Relative paths in it start at the folder of the process. */
export function givenConfig(given: string | object): ConfigFile {
  if (typeof given === "object") return { path: "", value: checkConfig("object", given) };
  try {
    return { path: "", value: checkConfig("text", decodeYaml(Buffer.from(given)) ?? {}) };
  } catch (error) {
    throw error instanceof ConfigError ? error : problemOf("text", error instanceof Error ? error.message : "");
  }
}

const problemOf = (source: string, reason: string) => new ConfigError(`error loading config ${source}: ${reason}`);

const lists = ["clusters", "users", "contexts"] as const;
const memberOf = { clusters: "cluster", users: "user", contexts: "context" } as const;

/** The first file that names a cluster, a user, a context or the current context wins. */
export function mergeConfigs(files: readonly ConfigFile[]): MergedConfig {
  const found = { clusters: new Map<string, Located>(), users: new Map<string, Located>(), contexts: new Map() };
  let currentContext = "";
  let preferences: JsonObject = {};
  const extensions: unknown[] = [];
  for (const { path, value } of files) {
    if (value === undefined) continue;
    for (const list of lists)
      for (const { name, value: entry } of entriesOf(value, list))
        if (!found[list].has(name)) found[list].set(name, { value: entry, file: path || undefined });
    const current = value["current-context"];
    if (currentContext === "" && typeof current === "string") currentContext = current;
    if (Object.keys(preferences).length === 0 && isObject(value["preferences"])) preferences = value["preferences"];
    if (Array.isArray(value["extensions"])) extensions.push(...value["extensions"]);
  }
  return { ...found, currentContext, preferences, extensions };
}

export type ConfigList = (typeof lists)[number];

/** The entries of a list of a file, in order: `[{ name: "a", user: {...} }]`. */
function entriesOf(file: JsonObject, list: ConfigList): { name: string; value: JsonObject }[] {
  const entries = file[list];
  return (Array.isArray(entries) ? entries : []).filter(isObject).map((entry) => {
    const member = entry[memberOf[list]];
    return { name: String(entry["name"]), value: isObject(member) ? member : {} };
  });
}

/** The file with the entry of that name replaced, added or (undefined) removed. */
export function withEntry(file: JsonObject, list: ConfigList, name: string, value: JsonObject | undefined): JsonObject {
  const given = file[list];
  const entries = Array.isArray(given) ? given.filter(isObject) : [];
  const others = entries.filter((entry) => entry["name"] !== name);
  if (value === undefined) return { ...file, [list]: others };
  const entry = { [memberOf[list]]: value, name };
  const at = entries.findIndex((other) => other["name"] === name);
  const next = at < 0 ? [...entries, entry] : entries.map((other, index) => (index === at ? entry : other));
  // Files are written in the order of names, as other tools write them.
  return { ...file, [list]: next.sort((a, b) => (String(a["name"]) < String(b["name"]) ? -1 : 1)) };
}

/** A path of an entry as the process can open it: relative ones start at the folder of the file. */
export function pathOf(located: Located, path: string): string {
  return located.file === undefined || isAbsolute(path) ? path : join(dirname(located.file), path);
}

export function textOf(from: JsonObject | undefined, key: string): string {
  const value = from !== undefined && Object.hasOwn(from, key) ? from[key] : undefined;
  return typeof value === "string" ? value : "";
}
