/** `__complete`: the words that may stand where the user is typing; shells ask it. */

import { fullName } from "../api/discovery.ts";
import type { Command } from "../command.ts";
import { Context } from "../context.ts";
import { globalFlags } from "../flags/declared.ts";
import { parseFlags } from "../flags/parse.ts";
import { nameOf } from "../json.ts";

export const complete: Command = {
  name: "__complete",
  summary: "Words that may come next",
  isRaw: true,
  async run(context) {
    const words = context.commandLine.slice(context.commandLine.indexOf("__complete") + 1);
    const typed = words.at(-1) ?? "";
    const found = await candidates(context, words.slice(0, -1), typed).catch(() => []);
    context.print(
      [...new Set(found)]
        .filter((word) => word.startsWith(typed))
        .map((word) => `${word}\n`)
        .join(""),
    );
  },
};

async function candidates(context: Context, before: readonly string[], typed: string): Promise<string[]> {
  const { commands } = await import("./list.ts");
  const plain = before.filter((word) => !word.startsWith("-"));
  const [first, second, ...others] = plain;
  const last = before.at(-1) ?? "";
  if (last === "-n" || last === "--namespace") return names(context, before, "namespaces");
  if (last === "--context") return [...context.config.contexts.keys()];
  if (last === "--cluster") return [...context.config.clusters.keys()];
  if (last === "-o" || last === "--output")
    return ["json", "yaml", "wide", "name", "jsonpath=", "custom-columns=", "go-template="];
  const visible = commands.filter(({ isHidden }) => isHidden !== true);
  const entry = visible.find(({ name }) => name === first);
  if (entry === undefined)
    return typed.startsWith("-") ? globalFlags.map(({ name }) => `--${name}`) : visible.map(({ name }) => name);
  let command = await entry.load();
  const sub = command.subcommands?.find(({ name }) => name === second);
  if (sub !== undefined) command = sub;
  if (typed.startsWith("-"))
    return [...(command.flags ?? []), ...globalFlags]
      .filter(({ isHidden }) => isHidden !== true)
      .map(({ name }) => `--${name}`);
  if (command.subcommands !== undefined && second === undefined) return command.subcommands.map(({ name }) => name);
  if (first === "config" && /^(use|delete|rename)-context$/.test(second ?? ""))
    return [...context.config.contexts.keys()];
  const type = sub === undefined ? second : others[0];
  if (typed.includes("/")) {
    const [kind = ""] = typed.split("/");
    return (await names(context, before, kind)).map((name) => `${kind}/${name}`);
  }
  if (type !== undefined) return names(context, before, type);
  const discovery = await context.discovery();
  return discovery.preferred().flatMap((resource) => [resource.name, fullName(resource)]);
}

/** The names of objects, with the flags that were typed so far. */
async function names(context: Context, before: readonly string[], type: string): Promise<string[]> {
  const kept = globalFlags.flatMap(({ name, short }) => {
    const at = before.findIndex(
      (word) => word === `--${name}` || word === `-${short}` || word.startsWith(`--${name}=`),
    );
    if (at < 0) return [];
    const word = before[at] ?? "";
    return word.includes("=") ? [word] : [`--${name}=${before[at + 1] ?? ""}`];
  });
  const parsed = parseFlags(kept, globalFlags);
  const asking = new Context({ environment: context.environment, ...parsed, commandLine: [], path: [] });
  const resource = (await asking.discovery()).find(type);
  if (resource === undefined) return [];
  const found: string[] = [];
  for await (const item of asking.api.items({ resource, namespace: resource.namespaced ? asking.namespace : "" }))
    found.push(nameOf(item));
  return found;
}
