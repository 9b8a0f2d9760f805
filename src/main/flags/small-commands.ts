/** The flags of the small commands: `orch user`, `orch run`, `orch status` and `orch stop`. */

import { address } from "../../base/flags/addresses.ts";
import { bool, choice, duration, int, string, strings } from "../../base/flags/flag.ts";
import { port } from "../../base/flags/numbers.ts";
import { libraryControllers } from "../../controllers/choose.ts";
import { levelDefault, levels } from "../../machinery/schema/level.ts";

import { apiserverFlags } from "./apiserver-flags.ts";

export const folderFlags = { "data-dir": string("the folder of the server", ".orch") };

export const userFlags = {
  ...folderFlags,
  vocabulary: choice(["orch", "kubernetes"], "the names the server speaks; default: those of the folder", "orch"),
  server: string("where the person finds the server; default: as in admin.conf of the folder"),
  out: string("the file to write, readable by its owner only; default: standard output"),
  group: strings("groups that the person belongs to"),
  life: duration("how long the certificate is valid", 24 * 3_600_000),
};

/** Those of `orch up` that a server for one command can have. */
export const runFlags = {
  vocabulary: choice(["orch", "kubernetes"], "the names the server speaks", "orch"),
  "emulated-version": choice(levels, "the release whose API is served", levelDefault),
  authorization: choice(["AlwaysAllow", "RBAC"], "how requests are authorized", "AlwaysAllow", {
    aliases: ["authorization-mode"],
  }),
  controllers: strings(
    `which run beside those that complete the API (${libraryControllers.join(", ")}): "*" all, "name" this one, "-name" not this one`,
  ),
  nodes: int("how many simulated nodes run pods, without containers; they come with a scheduler", 0),
  isolated: bool("serve /forks, where each test of the command gets a copy of the server with its own port"),
  "enable-testing": bool(
    "serve FaultPlan objects of testing.orch.io, which make requests fail on purpose, and the journal of requests",
  ),
  load: string("a file or folder of manifests to apply before the command starts"),
  "bind-address": address("the IP address to listen on, or localhost", "127.0.0.1"),
  "secure-port": port("the port to listen on; 0 takes any free one", 0),
  "data-dir": string("a folder that keeps the objects; default: they are in memory, and lost at the end"),
  "feature-gates": apiserverFlags["feature-gates"],
  "runtime-config": apiserverFlags["runtime-config"],
  "enable-admission-plugins": apiserverFlags["enable-admission-plugins"],
  "disable-admission-plugins": apiserverFlags["disable-admission-plugins"],
};
