/**
 * `orch envtest`: a folder with programs named kube-apiserver, etcd and kubectl, for suites that start a control plane of their own
 * (KUBEBUILDER_ASSETS). The programs are the scripts of bin/envtest/; the first of them comes back here.
 */

import { accessSync, constants, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { FlagError } from "../../base/flags/flag.ts";
import { describeFlags } from "../../base/flags/help.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { createLog } from "../../base/log-writer.ts";
import { type Level, levelDefault, levels } from "../../machinery/schema/level.ts";
import { checkNodes } from "../all-controllers.ts";
import { openApiServer } from "../apiserver.ts";
import { readControllerNames } from "../controllers.ts";
import { controllerFlags } from "../flags/controller-flags.ts";
import { envtestFlags, envtestServerFlags } from "../flags/envtest-flags.ts";
import { releaseOf } from "../version.ts";
import { runUntilStopped } from "./run-until-stopped.ts";
import { openWithControllers } from "./up.ts";

const programs = { "kube-apiserver": "KUBE_APISERVER", etcd: "ETCD", kubectl: "KUBECTL" } as const;

export async function runEnvtest(args: readonly string[]): Promise<void> {
  const [first, ...rest] = args;
  if (first === "kube-apiserver") return runAsApiserver(rest, process.env);
  const { env } = parseFlags(envtestFlags, args).values;
  // Packages are installed with links to their commands.
  const folder = join(dirname(realpathSync(process.argv[1] ?? "")), "envtest");
  for (const name of Object.keys(programs)) checkExecutable(join(folder, name));
  const lines = Object.entries(programs).map(
    ([name, variable]) => `export TEST_ASSET_${variable}=${quoted(join(folder, name))}`,
  );
  process.stdout.write(env ? `${lines.join("\n")}\n` : `${folder}\n`);
}

/** Single quotes keep everything but themselves from a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function checkExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    throw new Error(`${path} cannot be executed; install the package again`);
  }
}

/** The answer to `kube-apiserver --help`; bin/envtest/kube-apiserver.help has it, so that Node need not start. */
export function apiserverHelp(): string {
  return `kube-apiserver as orch runs it for tests: in memory, with the names that Kubernetes clients know.

Usage:
  kube-apiserver [flags]

ORCH_EMULATED_VERSION chooses the release whose API is served (${levels.join(", ")}), ORCH_CONTROLLERS adds controllers
(namespace,garbagecollector; none by default, as in envtest), ORCH_NODES simulated nodes that run pods without containers, with a scheduler.

${describeFlags({ flags: envtestServerFlags, first: [] }, true)}
`;
}

/** Absent or empty: the default. */
function levelOf(text: string | undefined): Level {
  if (text === undefined || text === "") return levelDefault;
  const level = levels.find((one) => one === text);
  if (level === undefined)
    throw new FlagError(`ORCH_EMULATED_VERSION must be one of ${levels.join(", ")}, not "${text}"`);
  return level;
}

/** Absent or empty: none. */
export function nodesOf(text = ""): number {
  const nodes = Number(text.trim());
  checkNodes(nodes, "ORCH_NODES");
  return nodes;
}

interface EnvtestEnvironment {
  readonly ORCH_NODES?: string;
  readonly ORCH_EMULATED_VERSION?: string;
  readonly ORCH_CONTROLLERS?: string;
}

async function runAsApiserver(args: readonly string[], env: EnvtestEnvironment): Promise<void> {
  const { values, given, warnings } = parseFlags(envtestServerFlags, args);
  const level = given.has("emulated-version") ? values["emulated-version"] : levelOf(env.ORCH_EMULATED_VERSION);
  const flags = { ...values, "emulated-version": level, store: "memory" as const, "kvstore-servers": [] };
  const log = createLog({ verbosity: flags.v, format: flags["log-format"] });
  for (const warning of warnings) log.warn(warning);
  log.info("serving a test in memory", { release: releaseOf(level).text });
  const names = (env.ORCH_CONTROLLERS ?? "").split(",").filter((name) => name !== "");
  readControllerNames(names, "ORCH_CONTROLLERS");
  const options = { stopsWithParent: true };
  const nodes = nodesOf(env.ORCH_NODES);
  if (names.length === 0 && nodes === 0)
    return runUntilStopped(() => openApiServer({ flags, clock: systemClock, log }), log, flags, options);
  const all = { ...parseFlags(controllerFlags, []).values, ...flags, controllers: names, nodes };
  const open = async () => {
    const { server, startControllers } = await openWithControllers(all, "", log);
    startControllers();
    return server;
  };
  return runUntilStopped(open, log, flags, options);
}
