/** `version`: the versions of this program and of the server. */

import { bool, type FlagValues, string } from "../../base/flags/flag.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { type Json, text } from "../json.ts";

const versionFlags = {
  client: bool("Only the version of this client, without a request to the server"),
  short: bool("Only the version numbers"),
  output: string("json or yaml", "", { short: "o" }),
};

type VersionContext = Context<FlagValues<typeof versionFlags>>;

export const version = command({
  name: "version",
  summary: "Print the client and server version information",
  usage: "[--client] [--short] [-o json|yaml]",
  examples: `ctl version
ctl version --client -o json`,
  flags: versionFlags,
  run,
});

async function run(context: VersionContext): Promise<void> {
  const { flags } = context;
  const output = flags.output;
  if (!["", "json", "yaml"].includes(output)) throw new CtlError("--output must be 'yaml' or 'json'");
  let failure: unknown;
  let server: Json | undefined;
  if (!flags.client) {
    try {
      server = await context.session.version();
    } catch (error) {
      failure = error;
    }
  }
  const client = clientVersion(context, server);
  if (output !== "") {
    const both = { clientVersion: client, ...(server === undefined ? {} : { serverVersion: server }) };
    // Versions are the only objects that other tools print in the order of their fields, not sorted by name.
    const ordered = Object.fromEntries(Object.entries(both).map(([key, info]) => [key, inOrder(info)]));
    context.print(output === "json" ? `${JSON.stringify(ordered, undefined, 2)}\n` : `${encodeYaml(both)}\n`);
  } else {
    context.print(`Client Version: ${shown(context, client, true)}\n`);
    if (server !== undefined) context.print(`Server Version: ${shown(context, server, false)}\n`);
  }
  if (failure !== undefined) throw failure;
}

/** The release of a version: the part after a plus sign names the builder. */
export const releaseOf = (version: string): string => version.replace(/\+.*$/, "");

/**
 * This client speaks to a server at the server's release, if it is one of its own. Without a server it is of the release that
 * ORCH_EMULATED_VERSION names, as the folders of `orch envtest` set it.
 */
function clientVersion({ environment: { apiReleases, env } }: Context, server: Json | undefined): Json {
  const asked = releaseOf(text(server, "gitVersion"));
  const told = apiReleases.find((one) => one.startsWith(`v${env["ORCH_EMULATED_VERSION"]}.`));
  const release = apiReleases.includes(asked) ? asked : (told ?? apiReleases[0] ?? "");
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(release) ?? [];
  return {
    buildDate: "1970-01-01T00:00:00Z",
    compiler: "node",
    gitCommit: "",
    gitTreeState: "clean",
    gitVersion: release,
    goVersion: process.version,
    major,
    minor,
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}

const members = [
  "Major",
  "Minor",
  "GitVersion",
  "GitCommit",
  "GitTreeState",
  "BuildDate",
  "GoVersion",
  "Compiler",
  "Platform",
];

function inOrder(info: Json): Json {
  const names = members.map((name) => name.slice(0, 1).toLowerCase() + name.slice(1));
  return Object.fromEntries(names.map((name) => [name, text(info, name)]));
}

const ownVersion = ({ environment: { softwareVersion, apiReleases } }: Context): string =>
  `${softwareVersion} (API ${apiReleases[0]} to ${apiReleases.at(-1)}, Node ${process.version})`;

function shown(context: VersionContext, info: Json, isClient: boolean): string {
  const version = text(info, "gitVersion");
  if (context.flags.short) return version;
  if (!context.behaviour.printsGoVersion) return isClient ? ownVersion(context) : version;
  const parts = members.map((name) => `${name}:"${text(info, name.slice(0, 1).toLowerCase() + name.slice(1))}"`);
  return `version.Info{${parts.join(", ")}}`;
}
