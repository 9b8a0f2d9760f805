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
import { spansOf } from "../../base/flags/spans.ts";
import { createLog } from "../../base/log-writer.ts";
import { type Level, levels, newestLevel } from "../../machinery/schema/levels.ts";
import { checkNodes } from "../all-controllers.ts";
import { readControllerNames } from "../controllers.ts";
import { controllerFlags } from "../flags/controller-flags.ts";
import { envtestFlags, envtestServerFlags } from "../flags/envtest-flags.ts";
import { type Like, likeOf, likesOf } from "../flags/like.ts";
import { openApiServer } from "../programs/apiserver.ts";
import { releaseOf } from "../version.ts";
import { runUntilStopped } from "./run-until-stopped.ts";
import { openWithControllers } from "./up.ts";

const programs = { "kube-apiserver": "KUBE_APISERVER", etcd: "ETCD", kubectl: "KUBECTL" } as const;

export async function runEnvtest(args: readonly string[]): Promise<void> {
  const [first, ...rest] = args;
  if (first === "kube-apiserver") return runAsApiserver(rest, process.env);
  const { values, given } = parseFlags(envtestFlags, args);
  const like = likeFor(given.has("like") ? values.like : likeOfVersion(values.version), process.env);
  const others = likesOf("kubernetes").slice(1).sort();
  process.stderr.write(
    `orch envtest: kube-apiserver serves ${like}; --like=${others[0]} to ${others.at(-1)} serves another\n`,
  );
  // Packages are installed with links to their commands.
  const programsFolder = join(dirname(realpathSync(process.argv[1] ?? "")), "envtest");
  const folder = like === newest ? programsFolder : join(programsFolder, like);
  for (const name of Object.keys(programs)) checkExecutable(join(folder, name));
  const lines = Object.entries(programs).map(
    ([name, variable]) => `export TEST_ASSET_${variable}=${quoted(join(folder, name))}`,
  );
  process.stdout.write(values.env ? `${lines.join("\n")}\n` : `${folder}\n`);
}

/** "1.28", or "1.28.3" and "1.28.x" as suites write them; "": nothing is said. */
export const likeOfVersion = (text: string): Like | "" =>
  text === "" ? "" : likeOf("kubernetes", levelNamed(text, "--version"));

/** `where` the text was given. */
function levelNamed(text: string, where: string): Level {
  const asked = /^v?(\d+\.\d+)(?:\.[\dx*]+)?!?$/.exec(text)?.[1];
  const level = levels.find((one) => one === asked);
  if (level === undefined)
    throw new FlagError(`${where} must be one of ${spansOf(levels, " to ").join(", ")}, not "${text}"`);
  return level;
}

const newest = likeOf("kubernetes", newestLevel);

/** "": the command line says nothing. The programs read the same variables when they start. */
export function likeFor(given: Like | "", env: EnvtestEnvironment): Like {
  const asked = likeOf("kubernetes", levelOf(env));
  const said = versionVariables.find((name) => saysVersion(env[name]));
  // The folder of another level than the newest says so itself, unless the first variable does.
  const isFollowed = said === "ORCH_EMULATED_VERSION" || given === newest;
  if (given !== "" && said !== undefined && isFollowed && given !== asked)
    throw new FlagError(`--like=${given}, but ${said} is ${env[said]}, which the programs follow: unset it`);
  return given === "" ? asked : given;
}

/** The first that is set decides. The second is that of makefiles, which also write "latest". */
const versionVariables = ["ORCH_EMULATED_VERSION", "ENVTEST_K8S_VERSION"] as const;

const saysVersion = (text: string | undefined): text is string =>
  text !== undefined && text !== "" && text !== "latest";

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

ORCH_EMULATED_VERSION (or else ENVTEST_K8S_VERSION, also as 1.28.0 or 1.28.x) chooses the release whose API is served (${spansOf(levels, " to ").join(", ")};
${newestLevel} by default), ORCH_CONTROLLERS adds controllers
(namespace,garbagecollector; none by default, as in envtest), ORCH_NODES simulated nodes that run pods without containers, with a scheduler.

${describeFlags({ flags: envtestServerFlags, first: [] }, true)}
`;
}

/** Absent or empty: the newest. */
function levelOf(env: EnvtestEnvironment): Level {
  for (const name of versionVariables) {
    const text = env[name];
    if (saysVersion(text)) return levelNamed(text, name);
  }
  return newestLevel;
}

/** The release that the program of this folder serves: "v1.28.15". */
export const servedRelease = (env: EnvtestEnvironment): string => releaseOf(levelOf(env)).text;

/** Absent or empty: none. */
export function nodesOf(text = ""): number {
  const nodes = Number(text.trim());
  checkNodes(nodes, "ORCH_NODES");
  return nodes;
}

interface EnvtestEnvironment {
  readonly ORCH_NODES?: string;
  readonly ORCH_EMULATED_VERSION?: string;
  readonly ENVTEST_K8S_VERSION?: string;
  readonly ORCH_CONTROLLERS?: string;
}

async function runAsApiserver(args: readonly string[], env: EnvtestEnvironment): Promise<void> {
  const { values, given, warnings } = parseFlags(envtestServerFlags, args);
  const level = given.has("emulated-version") ? values["emulated-version"] : levelOf(env);
  const flags = { ...values, "emulated-version": level, store: "memory" as const, "kvstore-servers": [] };
  const log = createLog({ verbosity: flags.v, format: flags["log-format"] });
  log.info("serving a test in memory", { like: likeOf(flags.vocabulary, level), release: releaseOf(level).text });
  for (const warning of warnings) log.warn(warning);
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
