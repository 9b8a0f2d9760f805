/** `orch host deploy/NAME -- PROGRAM`: runs a program on this machine in place of the pods of a Deployment. */

import { mkdir, mkdtemp, rm, rmdir } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { FlagError } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { resolveAccess } from "../../client/config/access.ts";
import { mergeConfigs } from "../../client/config/file.ts";
import { configPaths, loadConfigFiles } from "../../client/config/load.ts";
import { isNotFound } from "../../client/requests/refusals.ts";
import { connect } from "../../kit/connect.ts";
import { Deployment } from "../../kit/kinds.ts";
import { hostFlags } from "../flags/small-commands.ts";
import { divert, putBack } from "../host/divert.ts";
import { openIdentity } from "../host/identity.ts";
import { readPorts } from "../host/local-port.ts";
import { withMount } from "../host/private-mount.ts";
import { variablesOf } from "../host/variables.ts";
import { codeOf } from "./run.ts";

/** Exits with the exit code of the program, after everything is as it was. */
export async function runHost(args: readonly string[]): Promise<void> {
  const end = args.indexOf("--");
  const command = end < 0 ? [] : args.slice(end + 1);
  const { values, others } = parseFlags(hostFlags, end < 0 ? args : args.slice(0, end), { takesArguments: true });
  const name = nameOf(others);
  if (command.length === 0) throw new FlagError("the program is missing: it stands behind --");
  const ports = readPorts(values.port);
  if (ports === undefined)
    throw new FlagError(`--port must be two ports such as 8443:9443, not "${values.port.join(",")}"`);
  const config = mergeConfigs(
    loadConfigFiles(configPaths({ explicit: values.kubeconfig, env: process.env, home: homedir() })),
  );
  const access = resolveAccess(config, { context: values.context, namespace: values.namespace });
  if (access === undefined) throw new FlagError("no server is configured: set KUBECONFIG or --kubeconfig");
  const hosted = { namespace: access.namespace, name };
  const client = await connect({
    ...(values.kubeconfig === "" ? {} : { kubeconfig: values.kubeconfig }),
    ...(values.context === "" ? {} : { context: values.context }),
    userAgent: "orch-host",
  });
  const say = (text: string) => process.stderr.write(`orch host: ${text}\n`);
  const folder = await mkdtemp(join(tmpdir(), "orch-host-"));
  const rest = join(folder, "run");
  await mkdir(rest);
  try {
    // What an earlier run left behind would be taken for the original.
    await putBack(client, hosted);
    const deployment = await client
      .of(Deployment)
      .get(hosted)
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
        throw new Error(`there is no deployment "${name}" in namespace "${hosted.namespace}"`, { cause: error });
      });
    const { variables, leftOut } = await variablesOf(client, deployment, values.container);
    if (leftOut.length > 0)
      say(
        `${leftOut.join(", ")} of the container could run code on this machine: to have them, begin the program with env NAME=VALUE`,
      );
    const identity = await openIdentity({
      client,
      server: access.server,
      authority: access.tls.ca,
      namespace: hosted.namespace,
      serviceAccount: deployment.spec?.template?.spec?.serviceAccountName || "default",
      folder,
      onProblem: (error) => say(`the token was not renewed, and is tried again: ${String(error)}`),
    });
    try {
      const mounted = withMount(rest, identity.account, command);
      if (mounted === undefined)
        say("this machine allows no private mounts: the program finds its account in KUBECONFIG only");
      for (const what of await divert(client, hosted, ports)) say(`${what} is answered by the program`);
      say(`runs ${command[0]} in place of deployment ${hosted.namespace}/${name}`);
      const { hostname, port, protocol } = new URL(access.server);
      const [program, ...programArgs] = mounted ?? command;
      process.exitCode = await codeOf(program ?? "", programArgs, {
        ...variables,
        KUBECONFIG: identity.clientConfiguration,
        KUBERNETES_SERVICE_HOST: hostname,
        KUBERNETES_SERVICE_PORT: port || (protocol === "https:" ? "443" : "80"),
      });
    } finally {
      identity.close();
      await putBack(client, hosted);
      say(`deployment ${hosted.namespace}/${name} and its services are as they were`);
    }
  } finally {
    client.close();
    // Where the mounts of the program were not private, this is the machine's own folder, and must not be emptied.
    await rmdir(rest);
    await rm(folder, { recursive: true, force: true });
  }
}

function nameOf([target = "", ...more]: readonly string[]): string {
  const name = /^(?:deploy|deployment|deployments)(?:\.apps)?\/(.+)$/.exec(target)?.[1];
  if (name === undefined || more.length > 0) throw new FlagError("one Deployment is needed, as deploy/NAME");
  return name;
}
