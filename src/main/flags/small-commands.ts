/** The flags of the small commands: `orch user`, `orch run`, `orch host`, `orch status`, `orch stop` and `orch completion`. */

import { address } from "../../base/flags/addresses.ts";
import { bool, choice, duration, FlagError, type FlagType, flag, int, string, strings } from "../../base/flags/flag.ts";
import { port } from "../../base/flags/numbers.ts";
import { spansOf } from "../../base/flags/spans.ts";
import { libraryControllers } from "../../controllers/choose.ts";
import { type Level, levelDefault, levels } from "../../machinery/schema/levels.ts";

import { apiserverFlags } from "./apiserver-flags.ts";
import { likeFlag } from "./like.ts";

/** Levels between commas, each once; or all of them. */
const levelsType: FlagType<readonly Level[]> = {
  name: `all|${spansOf(levels, "…").join("|")}`,
  parse(text) {
    if (text === "all") return levels;
    const given = text.split(",").map((part) => {
      const level = levels.find((one) => one === part.trim());
      if (level === undefined)
        throw new FlagError(`must be all or some of ${spansOf(levels, " to ").join(", ")}, not "${text}"`);
      return level;
    });
    return [...new Set(given)];
  },
};

export const folderFlags = { "data-dir": string("the folder of the server", ".orch") };

export const userFlags = {
  ...folderFlags,
  vocabulary: choice(["orch", "kubernetes"], "the names the server speaks; default: those of the folder", "orch"),
  server: string("where the person finds the server; default: as in admin.conf of the folder"),
  out: string("the file to write, readable by its owner only; default: standard output"),
  group: strings("groups that the person belongs to"),
  workspace: string("the workspace that the configuration is for; default: the server itself"),
  life: duration("how long the certificate is valid", 24 * 3_600_000),
};

/** Those of `orch up` that a server for one command can have. */
export const runFlags = {
  like: likeFlag,
  vocabulary: choice(["orch", "kubernetes"], "the names the server speaks", "orch"),
  "emulated-version": flag<readonly Level[]>(
    levelsType,
    [levelDefault],
    "the release whose API is served; several, as in 1.24,1.31,1.35: the command runs once with each",
  ),
  authorization: choice(["AlwaysAllow", "RBAC"], "how requests are authorized", "AlwaysAllow", {
    aliases: ["authorization-mode"],
  }),
  controllers: strings(
    `which run beside those that complete the API (${libraryControllers.join(", ")}): "*" all, "name" this one, "-name" not this one`,
  ),
  nodes: int(
    "how many simulated nodes run pods, without containers; they come with a scheduler and, unless --controllers says which, all controllers",
    0,
  ),
  isolated: bool("serve /forks, where each test of the command gets a copy of the server with its own port"),
  "enable-testing": bool(
    "serve FaultPlan objects of testing.orch.io, which make requests fail on purpose, and the journal of requests",
  ),
  load: string("a file or folder of manifests to apply before the command starts"),
  "bind-address": address("the IP address to listen on, or localhost", "127.0.0.1"),
  "secure-port": port("the port to listen on; 0 takes any free one", 0, { aliases: ["port"] }),
  "data-dir": string("a folder that keeps the objects; default: they are in memory, and lost at the end"),
  "feature-gates": apiserverFlags["feature-gates"],
  "runtime-config": apiserverFlags["runtime-config"],
  "enable-admission-plugins": apiserverFlags["enable-admission-plugins"],
  "disable-admission-plugins": apiserverFlags["disable-admission-plugins"],
};

export const hostFlags = {
  namespace: string("the namespace of the Deployment; default: that of the client configuration", "", { short: "n" }),
  container: string("the container whose variables the program gets; default: the first", "", { short: "c" }),
  port: strings("a port of the pods and the one on which the program listens instead: 8443:9443"),
  kubeconfig: string("the client configuration; default: KUBECONFIG, or as ctl finds it"),
  context: string("the context of the client configuration"),
};

export const completionFlags = {
  install: bool(
    "write the code to the file from which the shell loads it; without SHELL, for the one that $SHELL names",
  ),
};
