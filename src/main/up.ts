/** `orch up`: a server for one person, ready in one command, with everything it needs made in one folder. */

import { resolve } from "node:path";
import { systemClock } from "../base/clock.ts";
import { servingHosts } from "./addresses.ts";
import { type ApiServer, type ApiServerFlags, openApiServer } from "./apiserver.ts";
import { clientConfiguration, printClientConfiguration } from "./client-configuration.ts";
import { openDataFolder } from "./data-folder.ts";
import { apiserverFlags } from "./flags/apiserver-flags.ts";
import { parseFlags } from "./flags/parse.ts";
import { createLog } from "./log.ts";
import { openPki, type Pki } from "./pki/pki.ts";
import { readPrivateFile, writePrivateFile } from "./pki/private-files.ts";
import { runUntilStopped } from "./run-until-stopped.ts";
import { vocabularyOf } from "./vocabulary-of.ts";

/** What `up` does unless told otherwise: nobody else can reach it, and roles decide. */
const defaults: Partial<ApiServerFlags> = {
  "bind-address": "127.0.0.1",
  "authorization-mode": ["Node", "RBAC"],
  "rbac-narrow-edit": true,
  "service-account-max-token-expiration": 365 * 86_400_000,
  // Without the controllers nobody makes the default accounts that the plugin asks for.
  "disable-admission-plugins": ["ServiceAccount"],
};

export async function runUp(args: readonly string[]): Promise<void> {
  const { values, given, warnings } = parseFlags(apiserverFlags, args);
  const flags = withStrictness({
    ...values,
    ...Object.fromEntries(Object.entries(defaults).filter(([name]) => !given.has(name))),
  });
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
      process.stdout.write(introduction(server, resolve(path), resolve(folder.pki), flags));
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
  const ownTokenKeys = flags["service-account-key-file"].length === 0;
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

function introduction({ url }: ApiServer, configPath: string, pki: string, flags: ApiServerFlags): string {
  const curl = `curl --cacert ${pki}/ca.crt --cert ${pki}/admin.crt --key ${pki}/admin.key`;
  const rbac = vocabularyOf(flags.vocabulary).group("rbac.authorization.orch.io");
  const kubectl =
    flags.vocabulary === "kubernetes"
      ? `\n  or with kubectl:\n    export KUBECONFIG=${configPath}\n    kubectl get namespaces\n`
      : "\n  kubectl and other existing clients need --vocabulary=kubernetes and a --data-dir of its own.\n";
  return `orch serves ${url}

  client configuration   ${configPath}
  objects are kept in    ${resolve(flags["data-dir"])}

  try it:
    ${curl} ${url}/api/v1/namespaces
${kubectl}
  add a second person, who may read everything in the namespace default:
    ${userCommand(url, flags)} > jane.conf
    ${curl} -H 'Content-Type: application/json' \\
      ${url}/apis/${rbac}/v1/namespaces/default/rolebindings -d '${viewerBinding(rbac)}'

Press Ctrl+C to stop.
`;
}

function userCommand(url: string, flags: ApiServerFlags): string {
  const vocabulary = flags.vocabulary === "orch" ? "" : ` --vocabulary=${flags.vocabulary}`;
  return `orch user jane --data-dir=${resolve(flags["data-dir"])}${vocabulary} --server=${url}`;
}

/** Of the role whose rules `view` gathers, since that is done by a controller that this command does not run. */
function viewerBinding(apiGroup: string): string {
  return JSON.stringify({
    metadata: { name: "jane" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "system:aggregate-to-view" },
    subjects: [{ apiGroup, kind: "User", name: "jane" }],
  });
}
