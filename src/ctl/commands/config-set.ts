/** `config set-cluster`, `set-context` and `set-credentials`: entries of a client configuration from flags. */

import { readFileSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { bool, type FlagValues, string, stringArray, strings } from "../../base/flags/flag.ts";
import type { ConfigList } from "../../client/config/file.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { copy, type Json, object } from "../json.ts";
import { changeConfig, entryFile } from "./config-files.ts";

const setClusterFlags = { "embed-certs": bool("Put the certificates into the file") };

export const setCluster = command({
  name: "set-cluster",
  summary: "Set a cluster entry",
  usage: "NAME [--server=server] [--certificate-authority=path] [--insecure-skip-tls-verify=true]",
  examples: `ctl config set-cluster e2e --server=https://1.2.3.4
ctl config set-cluster e2e --certificate-authority=ca.crt --embed-certs`,
  flags: setClusterFlags,
  async run(context) {
    const [name] = exactly(context, 1);
    const { flags } = context;
    await setEntry(context, "clusters", name, (entry, file) => {
      for (const key of ["server", "tls-server-name"] as const) if (context.isSet(key)) setText(entry, key, flags[key]);
      if (context.isSet("insecure-skip-tls-verify")) {
        if (flags["insecure-skip-tls-verify"]) {
          entry["insecure-skip-tls-verify"] = true;
          for (const key of ["certificate-authority", "certificate-authority-data"]) delete entry[key];
        } else delete entry["insecure-skip-tls-verify"];
      }
      if (context.isSet("certificate-authority")) {
        if (flags["insecure-skip-tls-verify"])
          throw new CtlError("you cannot specify a certificate authority and insecure mode at the same time");
        setCertificate(context, entry, "certificate-authority", flags["certificate-authority"], file);
        delete entry["insecure-skip-tls-verify"];
      }
    });
    context.print(`Cluster "${name}" set.\n`);
  },
});

const setContextFlags = { current: bool("Change the current context") };

export const setContext = command({
  name: "set-context",
  summary: "Set a context entry",
  usage: "[NAME | --current] [--cluster=cluster] [--user=user] [--namespace=namespace]",
  examples: `ctl config set-context gce --user=cluster-admin
ctl config set-context --current --namespace=shop`,
  flags: setContextFlags,
  async run(context) {
    const { flags, args } = context;
    const isCurrent = flags.current;
    if (args.length !== (isCurrent ? 0 : 1)) throw new UsageError(`Unexpected args: [${args.join(" ")}]`);
    const name = isCurrent ? context.configuration.merged.currentContext : (args[0] ?? "");
    if (name === "") throw new CtlError("no current context is set");
    const isThere = context.configuration.merged.contexts.has(name);
    await setEntry(context, "contexts", name, (entry) => {
      for (const key of ["cluster", "user", "namespace"] as const)
        if (context.isSet(key)) setText(entry, key, flags[key]);
      entry["cluster"] ??= "";
      entry["user"] ??= "";
    });
    context.print(`Context "${name}" ${isThere ? "modified" : "created"}.\n`);
  },
});

const setCredentialsFlags = {
  "embed-certs": bool("Put the certificates into the file"),
  "exec-command": string("The program of a credential plugin"),
  "exec-api-version": string("The version of ExecCredential that the plugin speaks"),
  "exec-arg": strings("Arguments of the plugin"),
  "exec-env": stringArray("Environment of the plugin, as key=value"),
  "auth-provider": string("Not supported: use a credential plugin"),
  "auth-provider-arg": strings("Not supported: use a credential plugin"),
};

type CredentialsContext = Context<FlagValues<typeof setCredentialsFlags>>;

export const setCredentials = command({
  name: "set-credentials",
  summary: "Set a user entry",
  usage: "NAME [--client-certificate=path] [--client-key=path] [--token=token] [--exec-command=command]",
  examples: `ctl config set-credentials admin --client-certificate=admin.crt --client-key=admin.key --embed-certs
ctl config set-credentials admin --exec-command=/path/to/the/executable --exec-arg=arg1`,
  flags: setCredentialsFlags,
  async run(context) {
    const [name] = exactly(context, 1);
    const { flags } = context;
    if (context.isSet("auth-provider") || context.isSet("auth-provider-arg"))
      throw new CtlError("auth providers are not supported; use --exec-command with a credential plugin");
    const methods = [
      context.isSet("token") ? "token" : "",
      context.isSet("username") || context.isSet("password") ? "basicAuth" : "",
    ].filter(Boolean);
    if (methods.length > 1)
      throw new CtlError(
        "you cannot specify more than one authentication method at the same time: --token or --username/--password",
      );
    await setEntry(context, "users", name, (entry, file) => {
      for (const key of ["client-certificate", "client-key"] as const)
        if (context.isSet(key)) setCertificate(context, entry, key, flags[key], file);
      if (context.isSet("token")) {
        setText(entry, "token", flags.token);
        for (const key of ["username", "password", "tokenFile"]) delete entry[key];
      }
      for (const key of ["username", "password"] as const)
        if (context.isSet(key)) {
          setText(entry, key, flags[key]);
          delete entry["token"];
        }
      setExec(context, entry);
    });
    context.print(`User "${name}" set.\n`);
  },
});

function setExec(context: CredentialsContext, entry: Json): void {
  const { flags } = context;
  const names = ["exec-command", "exec-api-version", "exec-arg", "exec-env"] as const;
  if (!names.some((name) => context.isSet(name))) return;
  const exec = copy(object(entry, "exec"));
  if (context.isSet("exec-command")) exec["command"] = flags["exec-command"];
  if (context.isSet("exec-api-version")) exec["apiVersion"] = flags["exec-api-version"];
  if (context.isSet("exec-arg")) exec["args"] = [...flags["exec-arg"]];
  if (context.isSet("exec-env"))
    exec["env"] = flags["exec-env"].map((pair) => {
      const at = pair.indexOf("=");
      if (at < 0) throw new CtlError(`--exec-env must have the form key=value, not "${pair}"`);
      return { name: pair.slice(0, at), value: pair.slice(at + 1) };
    });
  entry["exec"] = exec;
}

function exactly(context: Context, count: number): [string] {
  const [name = ""] = context.args;
  if (context.args.length !== count) throw new UsageError(`Unexpected args: [${context.args.join(" ")}]`);
  if (name === "") throw new CtlError("you must specify a non-empty name");
  return [name];
}

async function setEntry(
  context: Context,
  list: ConfigList,
  name: string,
  change: (entry: Json, file: string) => void,
): Promise<void> {
  const file = entryFile(context, { list, name });
  const entry = copy(context.configuration.merged[list].get(name)?.value ?? {});
  change(entry, file);
  changeConfig(context, file, undefined, { list, name, value: entry });
}

/** An empty value removes the member. */
function setText(entry: Json, key: string, value: string): void {
  if (value === "") delete entry[key];
  else entry[key] = value;
}

function setCertificate(
  context: Context<FlagValues<typeof setClusterFlags>>,
  entry: Json,
  key: string,
  path: string,
  file: string,
): void {
  delete entry[`${key}-data`];
  delete entry[key];
  if (path === "") return;
  const absolute = resolve(context.environment.cwd, path);
  if (context.flags["embed-certs"]) {
    try {
      entry[`${key}-data`] = readFileSync(absolute).toString("base64");
    } catch (error) {
      throw new CtlError(`could not stat ${key} file ${path}: stat ${path}: no such file or directory`, {
        cause: error,
      });
    }
    return;
  }
  const near = relative(dirname(resolve(context.environment.cwd, file)), absolute);
  entry[key] = near.startsWith("..") || isAbsolute(near) ? absolute : near;
}
