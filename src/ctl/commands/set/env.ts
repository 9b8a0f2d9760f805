/** `set env`: sets, removes and lists the environment of containers. */

import { bool, type FlagValues, string, stringArray, strings } from "../../../base/flags/flag.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CtlError } from "../../errors.ts";
import { findResource } from "../../input/lookups.ts";
import { forEachTarget } from "../../input/targets.ts";
import { dig, type Json, kindOf, list, nameOf, object, text } from "../../json.ts";
import { changeAll, changeFlags, containersOf, isNamed, requirePodSpec, splitPairs } from "./change.ts";

const setEnvFlags = {
  ...changeFlags,
  containers: string("Which containers, with wildcards", "*", { short: "c" }),
  env: stringArray("A variable, as key=value", { short: "e" }),
  from: string("configmap/name or secret/name to take variables from"),
  keys: strings("Only these keys of the config map or secret"),
  prefix: string("Prefix for the names of the variables"),
  list: bool("Print the environment"),
  resolve: bool("Print the values behind references"),
  overwrite: bool("Replace existing variables", true),
};

type SetEnvContext = Context<FlagValues<typeof setEnvFlags>>;

export const setEnv = command({
  name: "env",
  summary: "Update environment variables on a pod template",
  usage: "RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N",
  examples: `ctl set env deployment/registry STORAGE_DIR=/local
ctl set env deployment/registry --list
ctl set env --from=configmap/myconfigmap --prefix=MYSQL_ deployment/myapp
ctl set env deployments --all ENV-`,
  flags: setEnvFlags,
  run,
});

async function run(context: SetEnvContext): Promise<void> {
  const { flags } = context;
  const readsInput = context.args.includes("-");
  const { resources, pairs } = splitPairs(context.args.filter((word) => word !== "-"));
  const words = [...pairs, ...flags.env, ...(readsInput ? await inputPairs(context) : [])];
  if (resources.length === 0 && flags.filename.length === 0)
    throw new CtlError("one or more resources must be specified as <resource> <name> or <resource>/<name>");
  if (flags.keys.length > 0 && flags.from === "")
    throw new CtlError("when specifying --keys, a configmap or secret must be provided with --from");
  if (flags.list && words.length === 0) return listAll(context, resources);
  const added = [
    ...words.filter((word) => word.includes("=")).map((word) => variable(word, flags.prefix)),
    ...(flags.from === "" ? [] : await fromSource(context)),
  ];
  const removed = words.filter((word) => !word.includes("=") && word.endsWith("-")).map((word) => word.slice(0, -1));
  if (added.length === 0 && removed.length === 0 && context.behaviour.refusesNoChange)
    throw new CtlError("at least one environment variable must be provided");
  for (const { name } of added)
    if (removed.includes(String(name)))
      throw new CtlError("can not both modify and remove the same environment variable in the same command");
  await changeAll(context, {
    args: resources,
    done: "env updated",
    failure: "failed to patch env update to pod template: ",
    apply(value, target) {
      const containers = containersOf(requirePodSpec(value)).filter((container) =>
        isNamed(container, flags.containers),
      );
      if (containers.length === 0)
        context.say(
          `warning: ${kindOf(value)}/${nameOf(value)} does not have any containers matching "${flags.containers}"`,
        );
      for (const container of containers)
        setVariables(context, container, { added, removed, shown: `${target.resource.resource}/${target.name}` });
      return undefined;
    },
  });
}

/** Variables on standard input, one on each line. */
async function inputPairs(context: Context): Promise<string[]> {
  const lines = (await context.environment.stdin.readAll()).split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** The server decides whether a name is allowed. */
function variable(word: string, prefix: string): Json {
  const at = word.indexOf("=");
  return { name: prefix + word.slice(0, at), value: word.slice(at + 1) };
}

interface Variables {
  readonly added: readonly Json[];
  readonly removed: readonly string[];
  /** The object, as messages name it. */
  readonly shown: string;
}

function setVariables(context: SetEnvContext, container: Json, { added, removed, shown }: Variables): void {
  const before = list(container, "env");
  if (!context.flags.overwrite)
    for (const one of added) {
      const old = before.find((other) => other["name"] === one["name"]);
      if (old !== undefined && old["value"] !== one["value"])
        throw new CtlError(
          `${shown} '${String(one["name"])}' already has a value (${text(old, "value")}), and --overwrite is false`,
        );
    }
  const kept = before.filter(({ name }) => !removed.includes(String(name)));
  const next = kept.map((one) => added.find(({ name }) => name === one["name"]) ?? one);
  const all = [...next, ...added.filter(({ name }) => !kept.some((one) => one["name"] === name))];
  if (all.length > 0) container["env"] = all;
  else delete container["env"];
}

/** Each key of a ConfigMap or Secret as a variable that refers to it. */
async function fromSource(context: SetEnvContext): Promise<Json[]> {
  const { flags } = context;
  const [type = "", name = ""] = flags.from.split("/");
  const resource = await findResource(context, type);
  if (resource.kind !== "ConfigMap" && resource.kind !== "Secret")
    throw new CtlError(`unsupported resource specified in --from`);
  const source = await context.at(resource).get({ namespace: context.namespace, name });
  const chosen = flags.keys;
  return Object.keys(object(source, "data"))
    .sort()
    .filter((key) => chosen.length === 0 || chosen.includes(key))
    .map((key) => ({
      name: flags.prefix + key.toUpperCase().replaceAll(/[-.]/g, "_"),
      valueFrom: { [resource.kind === "Secret" ? "secretKeyRef" : "configMapKeyRef"]: { key, name } },
    }));
}

async function listAll(context: SetEnvContext, args: readonly string[]): Promise<void> {
  await forEachTarget(context, { args, isLocal: context.flags.local }, async ({ object: value, resource }) => {
    for (const container of containersOf(requirePodSpec(value)).filter((one) =>
      isNamed(one, context.flags.containers),
    )) {
      context.print(`# ${resource.kind} ${nameOf(value)}, container ${text(container, "name")}\n`);
      for (const one of list(container, "env")) context.print(`${await shown(context, one)}\n`);
    }
  });
}

async function shown(context: SetEnvContext, one: Json): Promise<string> {
  const name = text(one, "name");
  const from = object(one, "valueFrom");
  if (Object.keys(from).length === 0) return `${name}=${text(one, "value")}`;
  const [kind, key] =
    from["secretKeyRef"] === undefined
      ? (["configmap", "configMapKeyRef"] as const)
      : (["secret", "secretKeyRef"] as const);
  const reference = object(from, key);
  if (Object.keys(reference).length === 0)
    return `# ${name} from ${text(from, "fieldRef", "fieldPath") === "" ? "resource" : `field path ${text(from, "fieldRef", "fieldPath")}`}`;
  if (!context.flags.resolve) return `# ${name} from ${kind} ${text(reference, "name")}, key ${text(reference, "key")}`;
  const resource = await findResource(context, kind === "secret" ? "secrets" : "configmaps");
  const source = await context.at(resource).get({ namespace: context.namespace, name: text(reference, "name") });
  const value = dig(source, "data", text(reference, "key"));
  return `${name}=${kind === "secret" ? Buffer.from(String(value ?? ""), "base64").toString("utf8") : String(value ?? "")}`;
}
