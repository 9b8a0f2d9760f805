/** `orch up`: a server for one person, ready in one command, with everything it needs made in one folder. */

import { delimiter, dirname, join, relative, resolve } from "node:path";
import { systemClock } from "../base/clock.ts";
import { servingHosts } from "./addresses.ts";
import { type ApiServer, type ApiServerFlags, choiceOfStore, openApiServer } from "./apiserver.ts";
import { clientConfiguration, printClientConfiguration } from "./client-configuration.ts";
import { openDataFolder, partsOf } from "./data-folder.ts";
import { parseFlags } from "./flags/parse.ts";
import { createLog } from "./log.ts";
import { openPki, type Pki } from "./pki/pki.ts";
import { readPrivateFile, writePrivateFile } from "./pki/private-files.ts";
import { runUntilStopped } from "./run-until-stopped.ts";
import { upFlags } from "./up-flags.ts";
import { vocabularyOf } from "./vocabulary-of.ts";

export async function runUp(args: readonly string[]): Promise<void> {
  const { values, warnings } = parseFlags(upFlags, args);
  const flags = withStrictness(values);
  const log = createLog(flags.v);
  for (const warning of warnings) log.warn(warning);
  await runUntilStopped(
    async () => {
      const folder = await openDataFolder(flags["data-dir"], flags.vocabulary);
      const vocabulary = vocabularyOf(flags.vocabulary);
      const pki = await openPki({
        folder: folder.pki,
        hosts: servingHosts(flags["bind-address"]),
        adminName: `${vocabulary.name}-admin`,
        clock: systemClock,
      });
      const server = await openApiServer({
        flags: withPki(flags, pki, folder.pki),
        clock: systemClock,
        log,
        ownAuthority: pki.authority.certificate,
      });
      const access = { server: server.url, authority: pki.authority.certificate, ...pki.admin };
      const text = printClientConfiguration(clientConfiguration(access, vocabulary));
      const path = folder.clientConfiguration;
      if ((await readPrivateFile(path)) !== text) await writePrivateFile(path, text);
      process.stdout.write(introduction(server, flags, ownCommand()));
      return server;
    },
    log,
    { delayMs: flags["shutdown-delay-duration"] },
  );
}

/** What is added to lists that the person may have given: plugins that protect, and questions beyond v1.21. */
export function withStrictness(flags: ApiServerFlags): ApiServerFlags {
  const isOff = (plugin: string) => flags["disable-admission-plugins"].includes(plugin);
  const plugins = ["NodeRestriction"].filter((plugin) => !isOff(plugin));
  // Existing clients must notice nothing, so only orch's own names come with questions of their own.
  const questions: [string, string][] = flags.vocabulary === "orch" ? [["access.orch.io/v1alpha1", "true"]] : [];
  return {
    ...flags,
    "enable-admission-plugins": [...new Set([...flags["enable-admission-plugins"], ...plugins])],
    "runtime-config": new Map([...questions, ...flags["runtime-config"]]),
  };
}

/** What the person did not give comes from the folder. */
function withPki(flags: ApiServerFlags, pki: Pki, folder: string): ApiServerFlags {
  const ownCertificate = flags["tls-cert-file"] === "";
  const ownTokenKeys =
    flags["service-account-key-file"].length === 0 && flags["service-account-signing-key-file"] === "";
  const issuer = vocabularyOf(flags.vocabulary).word("https://orch.default.svc");
  return {
    ...flags,
    ...(ownCertificate
      ? { "tls-cert-file": `${folder}/serving.crt`, "tls-private-key-file": `${folder}/serving.key` }
      : {}),
    ...(ownTokenKeys
      ? {
          "service-account-key-file": [pki.files.tokenPublicKey],
          "service-account-signing-key-file": pki.files.tokenKey,
        }
      : {}),
    "service-account-issuer": flags["service-account-issuer"] || issuer,
  };
}

/** What a person can do next, as commands for a shell. */
export function introduction({ url }: Pick<ApiServer, "url">, flags: ApiServerFlags, orch: string): string {
  const folder = partsOf(resolve(flags["data-dir"]));
  const at = (name: string) => quoted(join(folder.pki, name));
  const curl = `curl --cacert ${at("ca.crt")} --cert ${at("admin.crt")} --key ${at("admin.key")}`;
  const rbac = vocabularyOf(flags.vocabulary).group("rbac.authorization.orch.io");
  const kubectl =
    flags.vocabulary === "kubernetes"
      ? `\n  or with kubectl:\n    export KUBECONFIG=${quoted(folder.clientConfiguration)}\n    kubectl get namespaces\n`
      : "\n  kubectl and other existing clients need --vocabulary=kubernetes and a --data-dir of its own.\n";
  return `orch serves ${url}

  client configuration   ${folder.clientConfiguration}
  objects are kept in    ${placeOf(flags)}

  try it:
    ${curl} ${url}/api/v1/namespaces
${kubectl}
  add a second person, who may read everything in the namespace default:
    ${orch} ${userArguments(url, flags)} > jane.conf
    ${curl} -H 'Content-Type: application/json' \\
      ${url}/apis/${rbac}/v1/namespaces/default/rolebindings -d '${viewerBinding(rbac)}'

Press Ctrl+C to stop.
`;
}

function userArguments(url: string, flags: ApiServerFlags): string {
  const vocabulary = flags.vocabulary === "orch" ? "" : ` --vocabulary=${flags.vocabulary}`;
  return `user jane --data-dir=${quoted(resolve(flags["data-dir"]))}${vocabulary} --server=${url}`;
}

function placeOf(flags: ApiServerFlags): string {
  switch (choiceOfStore(flags)) {
    case "memory":
      return "memory, until it stops";
    case "etcd":
      return flags["kvstore-servers"].join(", ") || "etcd";
    case "embedded":
      return resolve(flags["data-dir"]);
  }
}

/** How this program was called, so that a person who follows it from a clone finds it too. */
function ownCommand(): string {
  if (process.env["npm_command"] === "exec") return "npx orch";
  const program = process.argv[1] ?? "";
  const isOnPath = (process.env["PATH"] ?? "").split(delimiter).includes(dirname(program));
  return isOnPath ? "orch" : `node ${quoted(relative(process.cwd(), program))}`;
}

/** As one word of a shell. */
function quoted(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Of the role whose rules `view` gathers, since that is done by a controller that this command does not run. */
function viewerBinding(apiGroup: string): string {
  return JSON.stringify({
    metadata: { name: "jane" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "system:aggregate-to-view" },
    subjects: [{ apiGroup, kind: "User", name: "jane" }],
  });
}
