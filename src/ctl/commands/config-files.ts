/** The configuration as one object, and changes that are written to the file an entry came from. */

import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type ConfigList, type Located, type MergedConfig, pathOf, withEntry } from "../../client/config/file.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { copy, isJson, type Json, list, object, text } from "../json.ts";

const memberOf = { clusters: "cluster", users: "user", contexts: "context" } as const;

/** All files as one, with entries sorted by name. `isFlat`: certificates are included instead of paths to them. */
export function configObject(context: Context, config: MergedConfig, options: { readonly isFlat: boolean }): Json {
  const entries = (kind: ConfigList) =>
    [...config[kind]]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, located]) => {
        const value = options.isFlat ? flat(located) : absolute(located);
        return { [memberOf[kind]]: kind === "clusters" ? { server: "", ...value } : value, name };
      });
  const orNull = (all: Json[]) => (all.length === 0 ? null : all);
  return {
    apiVersion: "v1",
    clusters: orNull(entries("clusters")),
    contexts: orNull(entries("contexts")),
    "current-context": context.flags.context || config.currentContext,
    kind: "Config",
    preferences: config.preferences,
    users: orNull(entries("users")),
  };
}

const paths = ["certificate-authority", "client-certificate", "client-key", "tokenFile"];

function absolute(located: Located): Json {
  const value = copy(located.value);
  if (isJson(value["exec"])) value["exec"] = { env: null, provideClusterInfo: false, ...value["exec"] };
  for (const key of paths) {
    const path = value[key];
    if (typeof path === "string" && path !== "") value[key] = pathOf(located, path);
  }
  return value;
}

function flat(located: Located): Json {
  const value = absolute(located);
  for (const key of ["certificate-authority", "client-certificate", "client-key"]) {
    const path = value[key];
    if (typeof path !== "string" || path === "") continue;
    value[`${key}-data`] = readFileSync(path).toString("base64");
    delete value[key];
  }
  return value;
}

/** Only the current context, its cluster and its user. */
export function minified(context: Context, value: Json): Json {
  const current = text(value, "current-context");
  const found = list(value, "contexts").find((entry) => entry["name"] === current);
  if (found === undefined)
    throw new CtlError(
      current === "" ? "current-context must exist in order to minify" : `cannot locate context ${current}`,
    );
  const cluster = context.flags.cluster || text(found, "context", "cluster");
  const user = context.flags.user || text(found, "context", "user");
  return {
    ...value,
    contexts: [found],
    clusters: list(value, "clusters").filter((entry) => entry["name"] === cluster),
    users: list(value, "users").filter((entry) => entry["name"] === user),
  };
}

/** Credentials are masked unless they are requested. */
export function redacted(value: Json): Json {
  const result = copy(value);
  for (const entry of list(result, "clusters"))
    hide(object(entry, "cluster"), ["certificate-authority-data"], "DATA+OMITTED");
  for (const entry of list(result, "users"))
    hide(object(entry, "user"), ["client-certificate-data", "client-key-data", "token", "password"], "REDACTED");
  return result;
}

function hide(entry: Json, keys: readonly string[], mark: string): void {
  for (const key of keys) if (entry[key]) entry[key] = mark;
}

/** The file that an entry is written to: the one it came from, or else the first that exists. */
export function entryFile(
  context: Context,
  what: "current-context" | { readonly list: ConfigList; readonly name: string },
): string {
  if (what !== "current-context") {
    const file = context.configuration.merged[what.list].get(what.name)?.file;
    if (file !== undefined) return file;
  }
  const { paths: all, fallback, isExplicit } = context.configuration.paths;
  if (isExplicit) return fallback;
  const files = context.configuration.files();
  return files.find(({ value }) => value !== undefined)?.path ?? (all.length === 1 ? (all[0] ?? fallback) : fallback);
}

/** Reads the file, changes it and writes it, readable by its owner only. */
export function changeConfig(
  context: Context,
  path: string,
  change?: (file: Json) => Json,
  entry?: { readonly list: ConfigList; readonly name: string; readonly value: Json | undefined },
): void {
  const { isExplicit } = context.configuration.paths;
  const found = (isExplicit && !exists(path) ? [] : context.configuration.files()).find((file) => file.path === path);
  const before: Json = {
    apiVersion: "v1",
    clusters: null,
    contexts: null,
    "current-context": "",
    kind: "Config",
    preferences: {},
    users: null,
    ...found?.value,
  };
  const changed = change === undefined ? before : change(before);
  const after = entry === undefined ? changed : withEntry(changed, entry.list, entry.name, entry.value);
  for (const kind of ["clusters", "contexts", "users"])
    if (Array.isArray(after[kind]) && after[kind].length === 0) after[kind] = null;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, encodeYaml(after), { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
  context.configuration.forget();
}

function exists(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
