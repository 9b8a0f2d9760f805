/** `orch user`: a client certificate and configuration for one more person, signed by the authority of `orch up`. */

import { fstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { FlagError, type FlagValues } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { clientConfiguration, printClientConfiguration, serverOf } from "../../client/config/print.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { userFlags } from "../flags/small-commands.ts";
import { issueClient } from "../pki/issue.ts";
import { readPrivateFile, writePrivateFile } from "../pki/private-files.ts";
import { openDataFolder, partsOf, withVocabularyOfFolder } from "../stores/data-folder.ts";
import { tenancyGroup } from "../workspaces/entry.ts";
import { parseTarget, nameProblems as workspaceNameProblems, workspacesPath } from "../workspaces/target.ts";
import { ctlBeside, ownCommand, quoted } from "./own-command.ts";

/** Certificates are hard to revoke, so their lifetime is limited. */
export const lifeMsMax = 366 * 86_400_000;
const nameCharsMax = 64;
/** Names that people would take for the administrator of the folder, who has rights by a group that cannot be given here. */
const adminNames: readonly string[] = ["admin", "orch-admin", "kubernetes-admin"];

/** Writes the configuration to --out or prints it; the key is not stored anywhere else. */
export async function runUser(args: readonly string[]): Promise<void> {
  const { values, given, others } = parseFlags(userFlags, args, { takesArguments: true });
  const [name = "", ...more] = others;
  if (more.length > 0) throw new FlagError(`orch user takes one name, not also "${more[0]}"`);
  const text = await makeUser(name, await withVocabularyOfFolder(values, given));
  process.stderr.write(grantingHint(name, values, ctlBeside(ownCommand()), await rootServer(values)));
  if (values.out !== "") return await writePrivateFile(values.out, text);
  const mode = fileModeOf(process.stdout.fd);
  if (mode !== undefined && (mode & 0o077) !== 0)
    process.stderr.write("orch: others can read the file with the key; run chmod 600 on it, or use --out=FILE\n");
  process.stdout.write(text);
}

export async function makeUser(name: string, flags: FlagValues<typeof userFlags>): Promise<string> {
  checkName("the name of the user", name);
  if (adminNames.includes(name))
    throw new FlagError(
      `${name} is the administrator, whose configuration is ${partsOf(flags["data-dir"]).clientConfiguration}`,
    );
  for (const group of flags.group) checkName("a group", group);
  if (flags.life <= 0 || flags.life > lifeMsMax) throw new FlagError("--life must be between a second and a year");
  const { pki } = partsOf(flags["data-dir"]);
  const [certificate, key] = await Promise.all([
    readPrivateFile(join(pki, "ca.crt")),
    readPrivateFile(join(pki, "ca.key")),
  ]);
  if (certificate === undefined || key === undefined) {
    throw new Error(`${pki} has no authority; run "orch up --data-dir=${flags["data-dir"]}" once before`);
  }
  await openDataFolder(flags["data-dir"], flags.vocabulary);
  const request = { commonName: name, organizations: flags.group, lifeMs: flags.life };
  const pair = issueClient({ certificate, key }, request, systemClock);
  const { workspace } = flags;
  if (workspace !== "" && workspaceNameProblems(workspace).length > 0)
    throw new FlagError(`--workspace: there can be no workspace "${workspace}"`);
  const root = await rootServer(flags);
  const access = {
    server: workspace === "" ? root : `${root}${workspacesPath}${workspace}`,
    authority: certificate,
    user: name,
    ...pair,
  };
  return printClientConfiguration(clientConfiguration(access, vocabularyOf(flags.vocabulary)));
}

/** Where the person finds the server. */
const rootServer = async (flags: FlagValues<typeof userFlags>) =>
  (flags.server || (await knownServer(flags["data-dir"]))).replace(/\/+$/, "");

/** A certificate says who somebody is, and nothing about rights: what the administrator does next, as commands for a shell. `server`: the URL of the root. */
export function grantingHint(
  name: string,
  { group, workspace, "data-dir": folder }: Pick<FlagValues<typeof userFlags>, "group" | "workspace" | "data-dir">,
  ctl: string,
  server: string,
): string {
  const [first] = group;
  const who = first === undefined ? `--user=${quoted(name)}` : `--group=${quoted(first)}`;
  const command = `${ctl} --kubeconfig=${quoted(resolve(partsOf(folder).clientConfiguration))}`;
  const binding = quoted((first ?? name).replaceAll(/[/%]/g, "-"));
  const until = first === undefined ? "a role is bound to it" : `roles are bound to it or to ${group.join(", ")}`;
  if (workspace === "")
    return `${name} may do nothing until ${until}. To let ${first ?? name} read the namespace default:
  ${command} create rolebinding ${binding} --clusterrole=view ${who} --namespace=default
`;
  const root = `${command} --server=${quoted(server)}`;
  const role = `enter-${workspace}`;
  const entering = quoted(`${(first ?? name).replaceAll(/[/%]/g, "-")}-${role}`);
  const inside = `${command} --server=${quoted(`${server}${workspacesPath}${workspace}`)}`;
  return `${name} may not enter ${workspace} until ${until}, and may do nothing there until one is bound inside.
To let ${first ?? name} in, and read the namespace default of the workspace:
  ${root} create clusterrole ${role} --verb=access --resource=workspaces.${tenancyGroup}/content --resource-name=${workspace}
  ${root} create clusterrolebinding ${entering} --clusterrole=${role} ${who}
  ${inside} create rolebinding ${binding} --clusterrole=view ${who} --namespace=default
`;
}

/** The mode of the file that a shell redirects to; undefined: it is a terminal or a pipe. */
function fileModeOf(descriptor: number): number | undefined {
  const found = fstatSync(descriptor);
  return found.isFile() && process.platform !== "win32" ? found.mode : undefined;
}

const usualServer = "https://127.0.0.1:6443";

/** The URL of the server in the admin configuration of the folder, also when its context is one of a workspace. */
async function knownServer(folder: string): Promise<string> {
  const text = await readPrivateFile(partsOf(folder).clientConfiguration);
  const server = (text === undefined ? undefined : serverOf(text)) ?? usualServer;
  const at = server.lastIndexOf(workspacesPath);
  return at !== -1 && parseTarget(server.slice(at)) !== undefined ? server.slice(0, at) : server;
}

/** Names that start with "system:" are reserved: a mistake must not create another administrator. */
function checkName(what: string, name: string): void {
  if (name === "") throw new FlagError(`${what} is missing`);
  if (name.length > nameCharsMax || !/^[\x21-\x7e]+$/.test(name)) {
    throw new FlagError(`${what} must be at most ${nameCharsMax} printable characters without spaces`);
  }
  if (name.startsWith("system:"))
    throw new FlagError(`${what} must not begin with "system:", which is the system's own`);
}
