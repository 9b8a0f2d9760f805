/** `plugin list`: the plugins on the PATH. */

import { basename } from "node:path";
import { bool } from "../../base/flags/flag.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { listPlugins } from "../plugins.ts";
import { commands } from "./list.ts";

export const plugin = command({
  name: "plugin",
  summary: "Provides utilities for interacting with plugins",
  usage: "SUBCOMMAND",
  examples: `ctl plugin list`,
  subcommands: [
    command({
      name: "list",
      summary: "List all visible plugin executables on a user's PATH",
      usage: "[--name-only]",
      examples: `ctl plugin list`,
      flags: { "name-only": bool("Names, not paths") },
      run,
    }),
  ],
});

async function run(context: Context<{ readonly "name-only": boolean }>): Promise<void> {
  const found = listPlugins(context.environment);
  if (found.length === 0) throw new CtlError(`unable to find any ${context.program} plugins in your PATH`);
  context.print("The following compatible plugins are available:\n\n");
  const seen = new Map<string, string>();
  let problems = 0;
  for (const { path, name, isExecutable } of found) {
    context.print(`${context.flags["name-only"] ? basename(path) : path}\n`);
    const [, command = ""] = /^(?:kubectl|ctl)-(.+)$/.exec(name) ?? [];
    const first = command.split("-")[0] ?? "";
    const warnings = [
      ...(isExecutable ? [] : [`warning: ${path} identified as a ${context.program} plugin, but it is not executable`]),
      ...(seen.has(name) ? [`warning: ${path} is overshadowed by a similarly named plugin: ${seen.get(name)}`] : []),
      ...(commands.some((one) => one.name === command || (one.name === first && command === first))
        ? [`warning: ${name} overwrites existing command: "${context.program} ${command}"`]
        : []),
    ];
    for (const warning of warnings) context.say(`  - ${warning}`);
    problems += warnings.length;
    if (!seen.has(name)) seen.set(name, path);
  }
  if (problems > 0)
    throw new CtlError(problems === 1 ? "one plugin warning was found" : `${problems} plugin warnings were found`);
}
