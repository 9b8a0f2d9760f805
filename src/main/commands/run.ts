/** `orch run -- COMMAND`: a server for as long as one command runs, with its client configuration in the environment. */

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { FlagError, type FlagValues } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { checkNodes } from "../all-controllers.ts";
import { checkManifests } from "../flags/check-manifests.ts";
import { runFlags } from "../flags/small-commands.ts";
import { type CreateServerOptions, createServer } from "../library.ts";
import { writePrivateFile } from "../pki/private-files.ts";

/** Exits with the exit code of the command, or with 128 plus the signal number if a signal ended the command. */
export async function runCommand(args: readonly string[]): Promise<void> {
  const at = args.indexOf("--");
  const [program, ...rest] = at < 0 ? [] : args.slice(at + 1);
  const { values, given } = parseFlags(runFlags, at < 0 ? args : args.slice(0, at));
  if (values.isolated && values["data-dir"] !== "")
    throw new FlagError("--isolated: copies are in memory, and --data-dir keeps objects on disk");
  checkNodes(values.nodes, "--nodes");
  if (program === undefined) throw new FlagError("orch run [flags] -- COMMAND: the command is missing");
  await checkManifests("load", values.load);
  const folder = await mkdtemp(join(tmpdir(), "orch-run-"));
  const server = await createServer(optionsOf(values, given));
  try {
    const { text, server: url } = await server.clientConfig();
    const path = join(folder, "client.conf");
    await writePrivateFile(path, text);
    if (values.load !== "") await server.load(values.load);
    const forks = values.isolated ? { ORCH_FORKS: `${url}/forks` } : undefined;
    process.exitCode = await codeOf(program, rest, { ORCHCONFIG: path, KUBECONFIG: path, ORCH_SERVER: url, ...forks });
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function optionsOf(flags: FlagValues<typeof runFlags>, given: ReadonlySet<string>): CreateServerOptions {
  return {
    // A folder says both, unless the person does.
    ...(given.has("vocabulary") ? { vocabulary: flags.vocabulary } : {}),
    ...(given.has("emulated-version") ? { emulatedVersion: flags["emulated-version"] } : {}),
    nodes: flags.nodes,
    authorization: flags.authorization,
    host: flags["bind-address"],
    port: flags["secure-port"],
    ...(flags["data-dir"] === "" ? {} : { dataDir: flags["data-dir"] }),
    controllers: flags.controllers,
    forks: flags.isolated,
    faultPlans: flags["enable-testing"],
    journal: flags["enable-testing"],
    featureGates: Object.fromEntries(flags["feature-gates"]),
    runtimeConfig: Object.fromEntries([...flags["runtime-config"]].map(([key, value]) => [key, value !== "false"])),
    enableAdmissionPlugins: flags["enable-admission-plugins"],
    ...(flags["disable-admission-plugins"].length === 0
      ? {}
      : { disableAdmissionPlugins: flags["disable-admission-plugins"] }),
  };
}

function codeOf(program: string, args: readonly string[], env: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...env } });
    // A signal to this process is meant for the command; its exit code becomes ours, and the server is closed after it.
    const pass = (signal: NodeJS.Signals) => child.kill(signal);
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    for (const signal of signals) process.on(signal, pass);
    child.once("error", (cause) => reject(new Error(`${program} could not be started: ${cause.message}`, { cause })));
    child.once("exit", (code, signal) => {
      for (const one of signals) process.off(one, pass);
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
