/** `orch run -- COMMAND`: a server for as long as one command runs, with its client configuration in the environment; or one for each level. */

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { FlagError, type FlagValues } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { levelDefault } from "../../machinery/schema/levels.ts";
import type { ControllerChoice } from "../../testkit/controller-choice.ts";
import { checkNodes } from "../all-controllers.ts";
import { checkManifests } from "../flags/check-manifests.ts";
import { runFlags } from "../flags/small-commands.ts";
import { type CreateServerOptions, createServer } from "../library.ts";
import { writePrivateFile } from "../pki/private-files.ts";
import { labelled, runAtLevels } from "./run-levels.ts";

/** Exits with the exit code of the command, or with 128 plus the signal number if a signal ended the command. */
export async function runCommand(args: readonly string[]): Promise<void> {
  const at = args.indexOf("--");
  const [program, ...rest] = at < 0 ? [] : args.slice(at + 1);
  const { values, given } = parseFlags(runFlags, at < 0 ? args : args.slice(0, at));
  if (values.isolated && values["data-dir"] !== "")
    throw new FlagError("--isolated: copies are in memory, and --data-dir keeps objects on disk");
  checkNodes(values.nodes, "--nodes");
  if (program === undefined) throw new FlagError("the command is missing: it stands behind --");
  await checkManifests("load", values.load);
  const levels = values["emulated-version"];
  const command = { program, args: rest };
  if (levels.length < 2) {
    process.exitCode = await runWithServer(optionsOf(values, given), values, command);
    return;
  }
  for (const name of ["data-dir", "secure-port"] as const)
    if (given.has(name)) throw new FlagError(`--${name}: each level has a server of its own, so give one level`);
  process.exitCode = await runAtLevels({
    levels,
    run: (level, label) =>
      runWithServer({ ...optionsOf(values, given), emulatedVersion: level }, values, { ...command, label }),
    clock: systemClock,
    write: (text) => process.stdout.write(text),
  });
}

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** What begins each line that it prints. Absent: it has the terminal for itself. */
  readonly label?: string;
}

async function runWithServer(
  options: CreateServerOptions,
  { load, isolated }: FlagValues<typeof runFlags>,
  { program, args, label }: Command,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "orch-run-"));
  const server = await createServer(options);
  try {
    const { text, server: url } = await server.clientConfig();
    const path = join(folder, "client.conf");
    await writePrivateFile(path, text);
    if (load !== "") await server.load(load);
    const env = {
      ORCHCONFIG: path,
      KUBECONFIG: path,
      ORCH_SERVER: url,
      ...(options.emulatedVersion === undefined ? {} : { ORCH_EMULATED_VERSION: options.emulatedVersion }),
      ...(isolated ? { ORCH_FORKS: `${url}/forks` } : {}),
    };
    return await codeOf(program, args, env, label);
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function optionsOf(flags: FlagValues<typeof runFlags>, given: ReadonlySet<string>): CreateServerOptions {
  return {
    // A folder says both, unless the person does.
    ...(given.has("vocabulary") ? { vocabulary: flags.vocabulary } : {}),
    ...(given.has("emulated-version") ? { emulatedVersion: flags["emulated-version"][0] ?? levelDefault } : {}),
    nodes: flags.nodes,
    authorization: flags.authorization,
    host: flags["bind-address"],
    port: flags["secure-port"],
    ...(flags["data-dir"] === "" ? {} : { dataDir: flags["data-dir"] }),
    // Who wants nodes wants what makes pods, too. Checked where it is read.
    controllers: (flags.nodes > 0 && !given.has("controllers")
      ? ["*"]
      : flags.controllers) as readonly ControllerChoice[],
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

/** The exit code of a program that has the variables in its environment; signals to this process are passed on to it. */
export function codeOf(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  label?: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: label === undefined ? "inherit" : ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ] as const) {
      const lines = labelled(label ?? "", to);
      from?.on("data", lines.write).once("end", lines.end);
    }
    // A signal to this process is meant for the command; its exit code becomes ours, and the server is closed after it.
    const pass = (signal: NodeJS.Signals) => child.kill(signal);
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    for (const signal of signals) process.on(signal, pass);
    child.once("error", (cause: NodeJS.ErrnoException) => {
      const reason = { ENOENT: "there is no such program", EACCES: "this user may not execute it" }[cause.code ?? ""];
      reject(new Error(`${program} could not be started: ${reason ?? cause.message}`, { cause }));
    });
    child.once("close", (code, signal) => {
      for (const one of signals) process.off(one, pass);
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
