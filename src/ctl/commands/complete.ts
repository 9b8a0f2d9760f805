/** `__complete`: the words that may follow on the command line; shells call it. */

import { bareValue, type Flag, type Flags } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { completionShells } from "../../base/shell-completion.ts";
import { type Command, command } from "../command.ts";
import { Context } from "../context.ts";
import { globalFlags } from "../flags/declared.ts";
import { isJson, list, nameOf, object, text } from "../json.ts";
import { fullName } from "../server/resource-names.ts";

export const complete = command({
  name: "__complete",
  summary: "Completions of a command line",
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
});

/** The type of the first argument, for commands about one type only. */
const typeOfArguments: Readonly<Record<string, string>> = {
  logs: "pods",
  exec: "pods",
  attach: "pods",
  "port-forward": "pods",
  cp: "pods",
  debug: "pods",
  cordon: "nodes",
  uncordon: "nodes",
  drain: "nodes",
  certificate: "certificatesigningrequests",
};

/** The command line so far: the words of the command, its flags, its arguments, and a flag that needs a value. */
interface Line {
  readonly command: Command | undefined;
  readonly path: readonly string[];
  readonly flags: Flags;
  readonly args: readonly string[];
  /** The name of the flag. */
  readonly pending: string | undefined;
}

async function readLine(before: readonly string[]): Promise<Line> {
  const { commands } = await import("./list.ts");
  let command: Command | undefined;
  let pending: string | undefined;
  const path: string[] = [];
  const args: string[] = [];
  const flags = (): Flags => ({ ...globalFlags, ...command?.flags });
  for (const word of before) {
    // Bash splits `--name=value` into three words.
    if (word === "=" && pending !== undefined) continue;
    if (pending !== undefined) pending = undefined;
    else if (word.startsWith("-") && word !== "-") {
      const found = Object.entries(flags()).find(([name, { short }]) => word === `--${name}` || word === `-${short}`);
      if (found !== undefined && bareValue(found[1]) === undefined) pending = found[0];
    } else {
      const next: Command | undefined =
        command === undefined
          ? await commands.find(({ name, aliases }) => name === word || aliases?.includes(word))?.load()
          : args.length === 0
            ? command.subcommands?.find(({ name }) => name === word)
            : undefined;
      if (next === undefined) args.push(word);
      else {
        command = next;
        path.push(word);
      }
    }
  }
  return { command, path, flags: flags(), args, pending };
}

async function candidates(context: Context, before: readonly string[], typed: string): Promise<string[]> {
  const line = await readLine(before);
  const asking = withFlags(context, before);
  const equals = typed.startsWith("--") ? typed.indexOf("=") : -1;
  if (equals >= 0) {
    const name = typed.slice(2, equals);
    if (line.flags[name] === undefined) return [];
    return (await valuesOf(asking, name, line)).map((value) => `${typed.slice(0, equals)}=${value}`);
  }
  if (line.pending !== undefined) return valuesOf(asking, line.pending, line);
  if (typed.startsWith("-"))
    return Object.entries(line.flags).flatMap(([name, { isHidden }]) => (isHidden === true ? [] : [`--${name}`]));
  if (line.command === undefined) {
    const { commands } = await import("./list.ts");
    return line.args.length > 0 ? [] : commands.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name);
  }
  const subcommands = line.args.length === 0 ? (line.command.subcommands ?? []).map(({ name }) => name) : [];
  return [...subcommands, ...(line.command.run === undefined ? [] : await argumentsOf(asking, line, typed))];
}

async function argumentsOf(context: Context, { path, args }: Line, typed: string): Promise<string[]> {
  const [first = "", second = ""] = path;
  if (first === "config") {
    const kind = /-(context|cluster|user)$/.exec(second)?.[1];
    return kind === undefined
      ? []
      : [...context.configuration.merged[`${kind}s` as "contexts" | "clusters" | "users"].keys()];
  }
  if (["create", "completion", "run", "version", "options"].includes(first))
    return first === "completion" ? [...completionShells] : [];
  const type = typeOfArguments[first];
  if (type !== undefined && !typed.includes("/")) return names(context, type);
  if (first === "explain" && typed.includes(".")) return fieldsOf(context, typed);
  if (typed.includes("/")) {
    const [kind = ""] = typed.split("/");
    return (await names(context, kind)).map((name) => `${kind}/${name}`);
  }
  if (args[0] !== undefined && first !== "explain") return args[0].includes("/") ? [] : names(context, args[0]);
  return (await context.discovery()).preferred.flatMap((resource) => [resource.resource, fullName(resource)]);
}

async function valuesOf(context: Context, flag: string, { args, path }: Line): Promise<string[]> {
  switch (flag) {
    case "namespace":
      return names(context, "namespaces");
    case "context":
      return [...context.configuration.merged.contexts.keys()];
    case "cluster":
      return [...context.configuration.merged.clusters.keys()];
    case "user":
      return [...context.configuration.merged.users.keys()];
    case "output":
      return ["json", "yaml", "wide", "name", "ndjson", "csv", "jsonpath=", "custom-columns=", "go-template="];
    case "dry-run":
      return ["none", "client", "server"];
    case "color":
      return ["auto", "always", "never"];
    case "container": {
      const pod = args.find((arg) => !arg.includes(":")) ?? "";
      return typeOfArguments[path[0] ?? ""] === "pods" ? containersOf(context, pod.replace(/^pods?\//, "")) : [];
    }
    default:
      return [];
  }
}

/** `pod.spec.con` -> `pod.spec.containers`. */
async function fieldsOf(context: Context, typed: string): Promise<string[]> {
  const parts = typed.split(".");
  const [type = "", ...path] = parts.slice(0, -1);
  const resource = (await context.discovery()).find(type);
  let schema = resource === undefined ? undefined : await context.session.openApi.schemaOf(resource);
  for (const field of path) {
    const next = object(schema, "properties")[field];
    const inside = isJson(next) && isJson(next["items"]) ? next["items"] : next;
    schema = isJson(inside) ? await context.session.openApi.resolve(inside) : undefined;
  }
  return Object.keys(object(schema, "properties")).map((field) => [...parts.slice(0, -1), field].join("."));
}

async function containersOf(context: Context, name: string): Promise<string[]> {
  const resource = (await context.discovery()).find("pods");
  if (resource === undefined || name === "") return [];
  const pod = await context.at(resource).get({ namespace: context.namespace, name });
  return list(pod, "spec", "containers").map((container) => text(container, "name"));
}

/** The context of the user, with the flags of the command line so far. */
function withFlags(context: Context, before: readonly string[]): Context {
  const kept = Object.entries<Flag>(globalFlags).flatMap(([name, { short }]) => {
    const at = before.findIndex(
      (word) => word === `--${name}` || word === `-${short}` || word.startsWith(`--${name}=`),
    );
    if (at < 0) return [];
    const word = before[at] ?? "";
    return word.includes("=") ? [word] : [`--${name}=${before[at + 1] ?? ""}`];
  });
  return new Context({
    environment: context.environment,
    parsed: parseFlags(globalFlags, kept),
    commandLine: [],
    path: [],
  });
}

async function names(context: Context, type: string): Promise<string[]> {
  const resource = (await context.discovery()).find(type);
  if (resource === undefined) return [];
  const found: string[] = [];
  for await (const item of context.at(resource).items({ namespace: resource.namespaced ? context.namespace : "" }))
    found.push(nameOf(item));
  return found;
}
