/** `ws`: the workspaces of a server, and which of them the configuration is for. */

import { string } from "../../base/flags/flag.ts";
import { textOf } from "../../client/config/file.ts";
import { isNotFound } from "../../client/requests/refusals.ts";
import { isDns1123Label } from "../../machinery/meta/names.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { workspacePath } from "../input/workspace-path.ts";
import { copy, type Json, list, object, text } from "../json.ts";
import { Columns } from "../output/table.ts";
import { changeConfig, entryFile } from "./config-files.ts";

const collection = "/apis/tenancy.orch.io/v1alpha1/workspaces";
const rootName = "root";

export const workspaces = command({
  name: "ws",
  aliases: ["workspaces"],
  summary: "API servers of their own behind one server",
  usage: "COMMAND",
  examples: `ctl ws create shop
ctl ws use shop`,
  subcommands: [
    command({
      name: "list",
      aliases: ["ls"],
      summary: "List the workspaces of the server, as a member of its root",
      usage: "",
      examples: "ctl ws list",
      run: listAll,
    }),
    command({
      name: "tree",
      summary: "Show the server with its workspaces below their types",
      usage: "",
      examples: "ctl ws tree",
      run: showTree,
    }),
    command({
      name: "create",
      summary: "Create a workspace",
      usage: "NAME [--type TYPE]",
      examples: "ctl ws create shop --type=team",
      flags: { type: string("The WorkspaceType whose objects it begins with") },
      async run(context, { type }) {
        const name = nameIn(context);
        await asked(atRoot(context).json(collection, { method: "POST", body: workspaceOf(name, type) }));
        context.print(`workspace "${name}" created; ctl ws use ${name} enters it\n`);
      },
    }),
    command({
      name: "use",
      summary: "Make a workspace the one that commands are for; root: the server itself",
      usage: "NAME",
      examples: `ctl ws use shop
ctl ws use root`,
      run: use,
    }),
    command({
      name: "current",
      summary: "Print the workspace that commands are for",
      usage: "",
      examples: "ctl ws current",
      async run(context) {
        context.print(`${currentName(context)}\n`);
      },
    }),
    command({
      name: "delete",
      summary: "Delete a workspace with all its objects",
      usage: "NAME",
      examples: "ctl ws delete shop",
      async run(context) {
        const name = nameIn(context);
        await asked(atRoot(context).json(`${collection}/${encodeURIComponent(name)}`, { method: "DELETE" }));
        context.print(`workspace "${name}" deleted\n`);
      },
    }),
  ],
});

const workspaceOf = (name: string, type: string): Json => ({
  apiVersion: "tenancy.orch.io/v1alpha1",
  kind: "Workspace",
  metadata: { name },
  ...(type === "" ? {} : { spec: { type } }),
});

/** The session with the root, also where the configuration is for one of its workspaces. */
function atRoot(context: Context): Context["session"] {
  const { server } = context.configuration.access();
  // The session is made with the flags, and has not been made yet.
  if (workspacePath.test(server)) Object.assign(context.flags, { server: server.replace(workspacePath, "") });
  return context.session;
}

/** Whether the server does not know the path, and so has no workspaces. */
const isUnknownPath = (error: unknown): boolean =>
  error instanceof StatusError && isNotFound(error) && error.details?.name === undefined;

/** The answer of the root. */
async function asked(answer: Promise<Json>): Promise<Json> {
  try {
    return await answer;
  } catch (error) {
    if (!isUnknownPath(error)) throw error;
    throw new CtlError("the server has no workspaces: start it with --workspaces (orch up, orch apiserver)", {
      cause: error,
    });
  }
}

const currentName = (context: Context): string =>
  workspacePath.exec(context.configuration.access().server)?.[1] ?? rootName;

interface Listed {
  readonly name: string;
  /** Empty: none. */
  readonly type: string;
  readonly phase: string;
}

async function workspacesOf(context: Context): Promise<readonly Listed[]> {
  if (context.args.length > 0) throw new UsageError(`unexpected arguments: [${context.args.join(" ")}]`);
  const found = await asked(atRoot(context).json(collection, { isExpected: ({ kind }) => kind === "WorkspaceList" }));
  return list(found, "items").map((one) => ({
    name: text(object(one, "metadata"), "name"),
    type: text(object(one, "spec"), "type"),
    phase: text(object(one, "status"), "phase"),
  }));
}

async function listAll(context: Context): Promise<void> {
  const current = currentName(context);
  const rows = (await workspacesOf(context)).map(({ name, type, phase }) => [
    name === current ? "*" : "",
    name,
    type,
    phase,
  ]);
  context.print(new Columns().format([["CURRENT", "NAME", "TYPE", "PHASE"], ...rows]));
}

/** Those without a type are directly below the root. The current one has a star, and every phase but Ready is named. */
async function showTree(context: Context): Promise<void> {
  const current = currentName(context);
  const all = await workspacesOf(context);
  const shown = (name: string, phase = "Ready") =>
    `${name}${phase === "Ready" ? "" : ` (${phase || "not ready"})`}${name === current ? " *" : ""}`;
  const ofType = (wanted: string) => all.filter(({ type }) => type === wanted);
  const leaves = (wanted: string) => ofType(wanted).map(({ name, phase }) => [shown(name, phase)]);
  const types = [...new Set(all.map(({ type }) => type))].filter((type) => type !== "").sort();
  const branches = [...leaves(""), ...types.map((type) => [`type ${type}`, ...branchesOf(leaves(type))])];
  context.print(`${[shown(rootName), ...branchesOf(branches)].join("\n")}\n`);
}

/** Each branch is its first line, and those below it. */
function branchesOf(branches: readonly (readonly string[])[]): string[] {
  return branches.flatMap(([head = "", ...below], at) => {
    const isLast = at === branches.length - 1;
    return [`${isLast ? "└─ " : "├─ "}${head}`, ...below.map((line) => `${isLast ? "   " : "│  "}${line}`)];
  });
}

/** A context of its own for each workspace, with the user of the root's: `CONTEXT:NAME`. */
async function use(context: Context): Promise<void> {
  const name = nameIn(context);
  const { merged } = context.configuration;
  const current = context.flags.context || merged.currentContext;
  const own = merged.contexts.get(current);
  if (own === undefined) throw new CtlError("no current context is set");
  const cluster = textOf(own.value, "cluster");
  const server = textOf(merged.clusters.get(cluster)?.value, "server");
  if (name !== rootName) await checkEntry(context, name);
  const inside = workspacePath.exec(server)?.[1];
  const rootOf = (text: string) => (inside === undefined ? text : text.replace(new RegExp(`:${inside}$`), ""));
  const next = name === rootName ? rootOf(current) : `${rootOf(current)}:${name}`;
  if (name !== rootName) {
    const clusterName = `${rootOf(cluster)}:${name}`;
    const path = `/clusters/${encodeURIComponent(name)}`;
    set(context, "clusters", clusterName, {
      ...copy(merged.clusters.get(cluster)?.value ?? {}),
      server: server.replace(workspacePath, "").replace(/\/+$/, "") + path,
    });
    const { namespace: _namespace, ...rest } = copy(own.value);
    set(context, "contexts", next, { ...rest, cluster: clusterName });
  } else if (!merged.contexts.has(next))
    throw new CtlError(`the configuration has no context "${next}", from which this workspace was entered`);
  changeConfig(context, entryFile(context, "current-context"), (file) => ({ ...file, "current-context": next }));
  context.print(
    name === rootName ? `Switched to context "${next}".\n` : `Switched to workspace "${name}", context "${next}".\n`,
  );
}

/** Refuses a workspace that does not exist. Warns of one that cannot be entered now, which may change. */
async function checkEntry(context: Context, name: string): Promise<void> {
  const [problem] = isDns1123Label(name);
  if (problem !== undefined) throw new CtlError(`"${name}" is not the name of a workspace: ${problem}`);
  try {
    await atRoot(context).json(`/clusters/${name}/version`);
  } catch (error) {
    if (isUnknownPath(error)) return void (await asked(Promise.reject(error)));
    if (isNotFound(error))
      throw new CtlError(`there is no workspace "${name}"; ctl ws list shows them, ctl ws create ${name} makes it`, {
        cause: error,
      });
    context.warn(error instanceof Error ? error.message : String(error));
  }
}

function set(context: Context, kind: "clusters" | "contexts", name: string, value: Json): void {
  changeConfig(context, entryFile(context, { list: kind, name }), undefined, { list: kind, name, value });
}

function nameIn({ args }: Context): string {
  const [name = "", ...more] = args;
  if (name === "" || more.length > 0) throw new UsageError("exactly one NAME is required");
  return name;
}
