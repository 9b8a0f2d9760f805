/** `config`: shows and changes client configuration files. */

import { bool, type FlagValues, string } from "../../base/flags/flag.ts";
import { nearest } from "../../base/suggest.ts";
import { type MergedConfig, mergeConfigs } from "../../client/config/file.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { printFlags } from "../flags/declared.ts";
import { type Json, text } from "../json.ts";
import { objectPrinter, outputOf } from "../output/formats.ts";
import { Columns } from "../output/table.ts";
import { changeConfig, configObject, entryFile, minified, redacted } from "./config-files.ts";
import { setProperty, unsetProperty } from "./config-property.ts";
import { setCluster, setContext, setCredentials } from "./config-set.ts";

const viewFlags = {
  ...printFlags,
  flatten: bool("Put the content of files into the output"),
  minify: bool("Only the entries of the current context"),
  raw: bool("Also show secrets"),
  merge: string("Show all files together", "true", { bare: "true" }),
};

export const config = command({
  name: "config",
  summary: "Modify client configuration files",
  usage: "SUBCOMMAND",
  examples: `ctl config get-contexts
ctl config use-context minikube`,
  subcommands: [
    command({
      name: "current-context",
      summary: "Display the current-context",
      usage: "",
      examples: "ctl config current-context",
      run: currentContext,
    }),
    command({
      name: "delete-cluster",
      summary: "Delete the specified cluster",
      usage: "NAME",
      examples: `ctl config delete-cluster minikube`,
      run: (context) => remove(context, "clusters"),
    }),
    command({
      name: "delete-context",
      summary: "Delete the specified context",
      usage: "NAME",
      examples: `ctl config delete-context minikube`,
      run: (context) => remove(context, "contexts"),
    }),
    command({
      name: "delete-user",
      summary: "Delete the specified user",
      usage: "NAME",
      examples: `ctl config delete-user minikube`,
      run: (context) => remove(context, "users"),
    }),
    command({
      name: "get-clusters",
      summary: "Display clusters",
      usage: "",
      examples: "ctl config get-clusters",
      run: (context) => names(context, "clusters"),
    }),
    command({
      name: "get-contexts",
      summary: "Describe one or many contexts",
      usage: "[NAME...] [-o name]",
      examples: `ctl config get-contexts
ctl config get-contexts my-context`,
      flags: {
        output: string("name", "", { short: "o" }),
        "no-headers": bool("Print no headers"),
      },
      run: getContexts,
    }),
    command({
      name: "get-users",
      summary: "Display users",
      usage: "",
      examples: "ctl config get-users",
      run: (context) => names(context, "users"),
    }),
    command({
      name: "rename-context",
      summary: "Rename a context",
      usage: "OLD NEW",
      examples: "ctl config rename-context old-name new-name",
      run: renameContext,
    }),
    command({
      name: "set",
      summary: "Set an individual value",
      usage: "PROPERTY VALUE",
      examples: `ctl config set clusters.my-cluster.server https://1.2.3.4
ctl config set contexts.my-context.namespace shop
ctl config set users.admin.client-key-data KEY --set-raw-bytes=true`,
      flags: { "set-raw-bytes": bool("The value is not in base64 yet") },
      run: setProperty,
    }),
    setCluster,
    setContext,
    setCredentials,
    command({
      name: "unset",
      summary: "Unset an individual value",
      usage: "PROPERTY",
      examples: "ctl config unset contexts.foo.namespace",
      run: unsetProperty,
    }),
    command({
      name: "use-context",
      aliases: ["use"],
      summary: "Set the current-context",
      usage: "NAME",
      examples: "ctl config use-context minikube",
      run: useContext,
    }),
    command({
      name: "view",
      summary: "Display merged settings or a specified file",
      usage: "[--flatten] [--minify] [--raw]",
      examples: `ctl config view
ctl config view --minify -o jsonpath='{..namespace}'
ctl config view --raw`,
      flags: viewFlags,
      run: view,
    }),
  ],
});

async function currentContext(context: Context): Promise<void> {
  const { currentContext: current } = context.configuration.merged;
  if (current === "") throw new CtlError("current-context is not set");
  context.print(`${current}\n`);
}

async function useContext(context: Context): Promise<void> {
  const [name, ...others] = context.args;
  if (name === undefined || others.length > 0)
    throw new UsageError("Unexpected args: [" + context.args.join(" ") + "]");
  if (!context.configuration.merged.contexts.has(name)) {
    const near = nearest(name, context.configuration.merged.contexts.keys());
    throw new CtlError(
      `no context exists with the name: "${name}"${near === undefined ? "" : `\nDid you mean "${near}"?`}`,
    );
  }
  changeConfig(context, entryFile(context, "current-context"), (file) => ({ ...file, "current-context": name }));
  context.print(`Switched to context "${name}".\n`);
}

const singular = { clusters: "cluster", contexts: "context", users: "user" } as const;

async function remove(context: Context, list: "clusters" | "contexts" | "users"): Promise<void> {
  const [name] = context.args;
  if (name === undefined || context.args.length > 1)
    throw new UsageError("Unexpected args: [" + context.args.join(" ") + "]");
  const found = context.configuration.merged[list].get(name);
  const shownFile = found?.file ?? entryFile(context, "current-context");
  if (found === undefined) throw new CtlError(`cannot delete ${singular[list]} ${name}, not in ${shownFile}`);
  changeConfig(context, shownFile, undefined, { list, name, value: undefined });
  if (list === "contexts" && context.configuration.merged.currentContext === name)
    context.say(
      `warning: this removed your active context, use "${context.program} config use-context" to select a different one`,
    );
  context.print(`deleted ${singular[list]} ${name} from ${shownFile}\n`);
}

async function names(context: Context, list: "clusters" | "users"): Promise<void> {
  context.print(["NAME", ...[...context.configuration.merged[list].keys()].sort()].map((name) => `${name}\n`).join(""));
}

async function getContexts(
  context: Context<{ readonly output: string; readonly "no-headers": boolean }>,
): Promise<void> {
  const { flags, args } = context;
  const { merged } = context.configuration;
  const output = flags.output;
  if (output !== "" && output !== "name") throw new CtlError(`output must be one of '' or 'name': ${output}`);
  const chosen = args.length > 0 ? args : [...merged.contexts.keys()].sort();
  const missing = chosen.filter((name) => !merged.contexts.has(name));
  const present = chosen.filter((name) => merged.contexts.has(name));
  if (output === "name") context.print(present.map((name) => `${name}\n`).join(""));
  else {
    const header = flags["no-headers"] ? [] : [["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"]];
    const rows = present.map((name) => {
      const value = merged.contexts.get(name)?.value;
      const current = name === merged.currentContext ? "*" : "";
      return [current, name, text(value, "cluster"), text(value, "user"), text(value, "namespace")];
    });
    context.print(new Columns().format([...header, ...rows]));
  }
  if (missing.length > 0) throw new CtlError(missing.map((name) => `context ${name} not found`).join("\n"));
}

async function renameContext(context: Context): Promise<void> {
  const [from, to] = context.args;
  if (from === undefined || to === undefined || context.args.length > 2)
    throw new UsageError("Unexpected args: [" + context.args.join(" ") + "]");
  const found = context.configuration.merged.contexts.get(from);
  const file = found?.file ?? entryFile(context, "current-context");
  if (found === undefined) throw new CtlError(`cannot rename the context "${from}", it's not in ${file}`);
  if (context.configuration.merged.contexts.has(to))
    throw new CtlError(`cannot rename the context "${from}", the context "${to}" already exists in ${file}`);
  changeConfig(context, file, undefined, { list: "contexts", name: from, value: undefined });
  changeConfig(
    context,
    file,
    (value) => (value["current-context"] === from ? { ...value, "current-context": to } : value),
    {
      list: "contexts",
      name: to,
      value: found.value,
    },
  );
  context.print(`Context "${from}" renamed to "${to}".\n`);
}

/** The contents of one file: the one that changes would be written to. */
function firstFile(context: Context): MergedConfig {
  const path = entryFile(context, "current-context");
  return mergeConfigs(context.configuration.files().filter((file) => file.path === path));
}

async function view(context: Context<FlagValues<typeof viewFlags>>): Promise<void> {
  const { flags } = context;
  const config = flags.merge === "true" ? context.configuration.merged : firstFile(context);
  let value: Json = configObject(context, config, { isFlat: flags.flatten });
  if (flags.minify) value = minified(context, value);
  if (!flags.raw && !flags.flatten) value = redacted(value);
  const printer = outputOf(context).format === "" ? undefined : objectPrinter(context);
  context.printRaw(printer === undefined ? encodeYaml(value) : printer(value));
}
