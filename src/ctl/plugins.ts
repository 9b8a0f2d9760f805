/** Plugins: programs on the PATH whose names start with ours; `ctl foo bar` runs `ctl-foo-bar` or `ctl-foo bar`. */

import { spawn } from "node:child_process";
import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { ProgramEnvironment } from "./environment.ts";

/** Finds programs of both names: those written for kubectl work as well. */
const pluginPrefixes = ["kubectl", "ctl"] as const;

/** Resolves with the plugin's exit code; undefined: there is none for these arguments. */
export async function runPlugin(argv: readonly string[], environment: ProgramEnvironment): Promise<number | undefined> {
  const end = argv.findIndex((arg) => arg.startsWith("-"));
  const words = end < 0 ? argv : argv.slice(0, end);
  for (let count = words.length; count > 0; count--) {
    const name = words
      .slice(0, count)
      .map((word) => word.replaceAll("-", "_"))
      .join("-");
    for (const prefix of pluginPrefixes) {
      const path = findProgram(`${prefix}-${name}`, environment);
      if (path !== undefined) return start(path, argv.slice(count), environment);
    }
  }
  return undefined;
}

function findProgram(name: string, environment: ProgramEnvironment): string | undefined {
  return pathFolders(environment)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function pathFolders({ env }: ProgramEnvironment): string[] {
  return [...new Set((env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== ""))];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** All files on the PATH with the name of a plugin, in order. */
export function listPlugins(environment: ProgramEnvironment): { path: string; name: string; isExecutable: boolean }[] {
  return pathFolders(environment).flatMap((folder) =>
    filesOf(folder, environment)
      .filter((name) => pluginPrefixes.some((prefix) => name.startsWith(`${prefix}-`)))
      .map((name) => ({ path: join(folder, name), name, isExecutable: isExecutable(join(folder, name)) })),
  );
}

function filesOf(folder: string, { stderr }: ProgramEnvironment): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    stderr.write(
      `Unable read directory "${folder}" from your PATH: open ${folder}: no such file or directory. Skipping...\n`,
    );
    return [];
  }
}

function start(path: string, args: readonly string[], environment: ProgramEnvironment): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, [...args], { stdio: "inherit", env: { ...environment.env }, cwd: environment.cwd });
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? (signal === null ? 1 : 130)));
  });
}
