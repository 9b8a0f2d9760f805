/** Finds and reads client configuration files: --kubeconfig, then the environment, then the home folder. */

import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ConfigError, type ConfigFile, parseConfigFile } from "./file.ts";
import { shown } from "./shown.ts";

interface ConfigSources {
  /** --kubeconfig; undefined or empty: not given. */
  readonly explicit: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** The files in order of precedence, and the one that new entries are written to. */
export interface ConfigPaths {
  readonly paths: readonly string[];
  readonly isExplicit: boolean;
  /** Where a file is written that does not exist yet. */
  readonly fallback: string;
}

export function configPaths({ explicit, env, home }: ConfigSources): ConfigPaths {
  if (explicit) return { paths: [explicit], isExplicit: true, fallback: explicit };
  const own = join(home, ".orch", "config");
  const known = join(home, ".kube", "config");
  const listed = [
    ...new Set([env["ORCHCONFIG"] ?? "", env["KUBECONFIG"] ?? ""].join(delimiter).split(delimiter)),
  ].filter((path) => path !== "");
  if (listed.length > 0) return { paths: listed, isExplicit: false, fallback: listed.at(-1) ?? known };
  return { paths: [own, known], isExplicit: false, fallback: known };
}

/** A file that is named explicitly must exist; others may be absent. */
export function loadConfigFiles({ paths, isExplicit }: ConfigPaths): ConfigFile[] {
  return paths.map((path) => {
    const text = readIfThere(path);
    if (text === undefined && isExplicit) throw new ConfigError(`stat ${shown(path)}: no such file or directory`);
    return { path, value: text === undefined ? undefined : parseConfigFile(path, text) };
  });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    // Without the cause, which repeats the path.
    throw new ConfigError(`error loading config file "${shown(path)}": ${String(code)}`);
  }
}
