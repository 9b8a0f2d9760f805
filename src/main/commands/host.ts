/** `orch host deploy/NAME -- PROGRAM`: runs a program on this machine in place of the pods of a Deployment. */

import { mkdir, mkdtemp, rm, rmdir } from "node:fs/promises";
import { constants, homedir, tmpdir } from "node:os";
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
import { claim } from "../host/claim.ts";
import { divert, holderOf, putBack } from "../host/divert.ts";
import { openIdentity } from "../host/identity.ts";
import { readPorts } from "../host/local-port.ts";
import { isProgram, withMount } from "../host/private-mount.ts";
import { variablesOf } from "../host/variables.ts";
import { codeOf } from "./run.ts";

/** Exits with the exit code of the program, after everything is as it was. */
export async function runHost(args: readonly string[]): Promise<void> {
  const end = args.indexOf("--");
  const command = end < 0 ? [] : args.slice(end + 1);
  const { values, others: targets } = parseFlags(hostFlags, end < 0 ? args : args.slice(0, end), {
    takesArguments: true,
  });
  const name = nameOf(targets);
  const [program = ""] = command;
  if (program === "") throw new FlagError("the program is missing: it stands behind --");
  if (!isProgram(program)) throw new FlagError(`there is no program "${program}" that this user may execute`);
  const ports = readPorts(values.port);
  if (ports === undefined)
    throw new FlagError(`--port must be two ports such as 8443:9443, not "${values.port.join(",")}"`);
  const config = mergeConfigs(
    loadConfigFiles(configPaths({ explicit: values.kubeconfig, env: process.env, home: homedir() })),
  );
  const access = resolveAccess(config, { context: values.context, namespace: values.namespace });
  if (access === undefined)
    throw new FlagError(
      "no client configuration names a server: set KUBECONFIG to the file that the server wrote, or --kubeconfig",
    );
  const hosted = { namespace: access.namespace, name };
  const client = await connect({
    ...(values.kubeconfig === "" ? {} : { kubeconfig: values.kubeconfig }),
    ...(values.context === "" ? {} : { context: values.context }),
    userAgent: "orch-host",
  });
  const say = (text: string) => process.stderr.write(`orch host: ${text}\n`);
  const where = `deployment ${hosted.namespace}/${name}`;
  const holder = await holderOf(client, hosted);
  if (holder !== undefined) {
    client.close();
    throw new Error(`${where} is hosted by process ${holder} already; end that first`);
  }
  const claimed = await claim({ client, hosted, say }).catch((error: unknown) => {
    client.close();
    throw error;
  });
  const folder = await mkdtemp(join(tmpdir(), "orch-host-"));
  const rest = join(folder, "run");
  await mkdir(rest);
  const interruption = noteInterruption(say);
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
      if (interruption.signal !== undefined) {
        process.exitCode = 128 + constants.signals[interruption.signal];
        return;
      }
      say(`runs ${program} in place of ${where}`);
      const { hostname, port, protocol } = new URL(access.server);
      const [first = "", ...others] = mounted ?? command;
      process.exitCode = await codeOf(first, others, {
        ...variables,
        KUBECONFIG: identity.clientConfiguration,
        KUBERNETES_SERVICE_HOST: hostname,
        KUBERNETES_SERVICE_PORT: port || (protocol === "https:" ? "443" : "80"),
      });
    } finally {
      identity.close();
      await putBack(client, hosted).catch((cause: unknown) => {
        const how = "the next orch host for it puts them back";
        throw new Error(`${where} and its services are still changed, ${how}: ${messageOf(cause)}`, { cause });
      });
      say(`${where} and its services are as they were`);
    }
  } finally {
    // A Lease that is left is taken by the next run.
    await claimed.release().catch(() => undefined);
    interruption.forget();
    client.close();
    // Where the mounts of the program were not private, this is the machine's own folder, and must not be emptied.
    await rmdir(rest);
    await rm(folder, { recursive: true, force: true });
  }
}

interface Interruption {
  readonly signal: "SIGINT" | "SIGTERM" | "SIGHUP" | undefined;
  forget(): void;
}

/** Signals end the program, and never this process before everything is as it was. */
function noteInterruption(say: (text: string) => void): Interruption {
  let signal: Interruption["signal"];
  const note = (name: NodeJS.Signals) => {
    if (signal !== undefined) say("puts everything back first");
    signal = name as Interruption["signal"]; // of the list below
  };
  for (const name of signals) process.on(name, note);
  return {
    get signal() {
      return signal;
    },
    forget() {
      for (const name of signals) process.off(name, note);
    },
  };
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function nameOf([target = "", ...more]: readonly string[]): string {
  const name = /^(?:deploy|deployment|deployments)(?:\.apps)?\/(.+)$/.exec(target)?.[1];
  if (name === undefined || more.length > 0) throw new FlagError("one Deployment is needed, as deploy/NAME");
  return name;
}
