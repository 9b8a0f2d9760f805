/** `cluster-info`: the addresses of the server and its services; with `dump`, everything that helps to find a fault. */

import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { anyDuration, bool, type FlagValues, string, strings } from "../../base/flags/flag.ts";
import { writePrivate } from "../../base/private-file.ts";
import { objectPath } from "../../client/requests/address.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { prettyJson } from "../go-json.ts";
import { type Json, list, nameOf, namespaceOf, text } from "../json.ts";
import { colored } from "../output/terminal.ts";

const dumpFlags = {
  "output-directory": string("Folder to write to; absent or -: standard output"),
  namespaces: strings("The namespaces to dump"),
  "all-namespaces": bool("Dump all namespaces", false, { short: "A" }),
  "pod-running-timeout": anyDuration("Ignored", 20_000),
  output: string("json or yaml", "json", { short: "o" }),
};

type DumpContext = Context<FlagValues<typeof dumpFlags>>;

export const clusterInfo = command({
  name: "cluster-info",
  summary: "Display addresses of the control plane and services with the cluster-service label",
  usage: "",
  examples: "ctl cluster-info",
  subcommands: [
    command({
      name: "dump",
      summary: "Dump information relevant for debugging and diagnosis",
      usage: "[flags]",
      examples: `ctl cluster-info dump > state.json
ctl cluster-info dump --output-directory=/path/to/cluster-state -A`,
      flags: dumpFlags,
      run: dump,
    }),
  ],
  async run(context) {
    const vocabulary = await context.vocabulary();
    const paint = (value: string, color: "green" | "yellow") => (context.useColor ? colored(value, color) : value);
    const server = context.environment.fetch === undefined ? context.session.connection.access.server : "(in process)";
    const title = vocabulary.isNeutral ? "The control plane" : "Kubernetes control plane";
    context.environment.stdout.write(`${paint(title, "green")} is running at ${paint(server, "yellow")}\n`);
    const services = await context.discovery().then((discovery) => discovery.find("services"));
    if (services !== undefined) {
      const labelSelector = `${vocabulary.word("orch.io/cluster-service")}=true`;
      const namespace = vocabulary.word("orch-system");
      for await (const service of context.at(services).items({ namespace, labelSelector })) {
        const path = objectPath(services, { namespace: namespaceOf(service), name: nameOf(service) }, "proxy");
        const name = text(service, "metadata", "labels", vocabulary.word("orch.io/name")) || nameOf(service);
        context.print(`${name} is running at ${server}${path}\n`);
      }
    }
    context.print(`\nTo further debug and diagnose cluster problems, use '${context.program} cluster-info dump'.\n`);
  },
});

const dumped = ["events", "replicationcontrollers", "services", "daemonsets", "deployments", "replicasets", "pods"];

async function dump(context: DumpContext): Promise<void> {
  const { flags } = context;
  const folder = flags["output-directory"];
  const format = flags.output;
  if (format !== "json" && format !== "yaml") throw new CtlError(`--output must be json or yaml, not "${format}"`);
  const shown = (value: Json) =>
    format === "yaml" ? `${folder === "" || folder === "-" ? "---\n" : ""}${encodeYaml(value)}` : prettyJson(value);
  const discovery = await context.discovery();
  const write = (name: string, content: string) => {
    if (folder === "" || folder === "-") return context.print(content);
    const file = join(resolve(context.environment.cwd, folder), name);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writePrivate(file, content);
  };
  const nodes = discovery.find("nodes");
  if (nodes !== undefined) write(`nodes.${format}`, shown(await context.session.readList(nodes, "")));
  for (const namespace of await namespaces(context)) {
    for (const name of dumped) {
      const resource = discovery.find(name);
      if (resource !== undefined)
        write(join(namespace, `${name}.${format}`), shown(await context.session.readList(resource, namespace)));
    }
  }
  if (folder !== "" && folder !== "-") context.print(`Cluster info dumped to ${folder}\n`);
}

async function namespaces(context: DumpContext): Promise<string[]> {
  if (!context.flags["all-namespaces"]) {
    const given = context.flags.namespaces;
    return given.length > 0 ? [...given] : [(await context.vocabulary()).word("orch-system"), context.namespace];
  }
  return list(await context.session.json("/api/v1/namespaces"), "items").map(nameOf);
}
