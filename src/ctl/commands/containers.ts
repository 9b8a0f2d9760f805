/** `logs`, `exec`, `attach`, `port-forward`, `cp` and `debug`: what needs an agent on a node, and says so where none answers. */

import { pathOf } from "../api/api.ts";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { selectorText } from "../describe/selector.ts";
import { CtlError, ServerError, UsageError } from "../errors.ts";
import { selectorFlag } from "../flags/declared.ts";
import type { Flag } from "../flags/flag.ts";
import { findResource } from "../input/lookups.ts";
import { type Json, list, nameOf, namespaceOf, object, text } from "../json.ts";
import { podSpecOf } from "./set/change.ts";

const containerFlag: Flag = { name: "container", short: "c", type: "text", help: "The container; default: the first" };

export const logs: Command = {
  name: "logs",
  aliases: ["log"],
  summary: "Print the logs for a container in a pod",
  usage: "[-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]",
  flags: [
    containerFlag,
    selectorFlag,
    { name: "follow", short: "f", type: "bool", help: "Print what comes" },
    { name: "previous", short: "p", type: "bool", help: "Of the container that ran before" },
    { name: "tail", type: "int", value: "-1", help: "Only the last lines" },
    { name: "since", type: "duration", help: "Only what is newer than this" },
    { name: "since-time", type: "text", help: "Only what is newer than this time" },
    { name: "timestamps", type: "bool", help: "With times" },
    { name: "limit-bytes", type: "int", value: "0", help: "At most so many bytes" },
    { name: "all-containers", type: "bool", help: "Of all containers" },
    { name: "prefix", type: "bool", help: "With the name of the pod before each line" },
    { name: "ignore-errors", type: "bool", help: "Go on after a failure" },
    { name: "max-log-requests", type: "int", value: "5", help: "Ignored", isHidden: true },
    { name: "pod-running-timeout", type: "duration", value: "20s", help: "Ignored", isHidden: true },
    { name: "insecure-skip-tls-verify-backend", type: "bool", help: "Do not check the certificate of the node" },
  ],
  run: runLogs,
};

/** The pods that an argument means: itself, or those of a workload. */
async function podsOf(context: Context, word: string | undefined): Promise<Json[]> {
  const pods = await findResource(context, "pods");
  const selector = context.flags.has("selector") ? context.flags.text("selector") : "";
  const all = async (labelSelector: string) => {
    const found: Json[] = [];
    for await (const pod of context.api.items({ resource: pods, namespace: context.namespace }, { labelSelector }))
      found.push(pod);
    return found;
  };
  if (selector !== "") return all(selector);
  if (word === undefined) throw new UsageError("POD or TYPE/NAME is a required argument for the command");
  const [type = "", name] = word.includes("/") ? word.split("/") : ["pods", word];
  const resource = await findResource(context, type);
  const object_ = await context.api.get({ resource, namespace: context.namespace, name });
  if (resource.kind === "Pod") return [object_];
  const owned = await all(selectorText(object(object_, "spec")["selector"]));
  if (owned.length === 0) throw new CtlError(`no pods of ${resource.name} "${name}" were found`);
  return owned.slice(0, 1);
}

async function runLogs(context: Context): Promise<void> {
  const { flags } = context;
  const [word, given] = context.args;
  const resource = await findResource(context, "pods");
  for (const pod of await podsOf(context, word)) {
    const names = list(podSpecOf(pod), "containers").map((one) => text(one, "name"));
    const chosen = flags.text("container") || given || "";
    if (chosen !== "" && !names.includes(chosen))
      throw new CtlError(`container ${chosen} is not valid for pod ${nameOf(pod)}`);
    if (chosen === "" && names.length > 1 && !flags.on("all-containers"))
      context.say(`Defaulted container "${names[0]}" out of: ${names.join(", ")}`);
    for (const container of flags.on("all-containers") ? names : [chosen || names[0] || ""]) {
      const query = {
        container,
        follow: flags.on("follow") || undefined,
        previous: flags.on("previous") || undefined,
        timestamps: flags.on("timestamps") || undefined,
        tailLines: flags.int("tail") >= 0 ? flags.int("tail") : undefined,
        sinceSeconds: flags.isSet("since") ? Math.round(flags.durationMs("since") / 1000) : undefined,
        sinceTime: flags.text("since-time"),
        limitBytes: flags.int("limit-bytes") || undefined,
      };
      const place = { resource, namespace: namespaceOf(pod), name: nameOf(pod), subresource: "log" };
      const response = await context.api
        .request(pathOf(place), { query, accept: "text/plain, */*" })
        .catch((error: unknown) => {
          throw explained(error, "logs");
        });
      if (response.body === null) continue;
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        context.printRaw(
          flags.on("prefix") ? chunk.replaceAll(/^(?=.)/gm, `[pod/${nameOf(pod)}/${container}] `) : chunk,
        );
        await context.environment.stdout.drained();
      }
    }
  }
}

/** A server without node agents answers with something that helps nobody. */
function explained(error: unknown, what: string): unknown {
  const isMissing =
    error instanceof ServerError &&
    (error.code === 404 || error.code === 405 || error.code === 501 || error.code === 503 || error.code === 500);
  const isPodMissing =
    error instanceof ServerError && error.reason === "NotFound" && /"[^"]+" not found/.test(error.message);
  return isMissing && !isPodMissing
    ? new CtlError(`${what} needs an agent on the node of the pod, and none answers: ${error.message}`)
    : error;
}

const streamFlags: readonly Flag[] = [
  containerFlag,
  { name: "stdin", short: "i", type: "bool", help: "Pass standard input on" },
  { name: "tty", short: "t", type: "bool", help: "Standard input is a terminal" },
  { name: "pod-running-timeout", type: "duration", value: "1m0s", help: "Ignored", isHidden: true },
  { name: "quiet", short: "q", type: "bool", help: "Say less" },
];

/** Streams need an agent; the checks before it are those of kubectl, in its words. */
function streaming(
  name: string,
  summary: string,
  usage: string,
  flags: readonly Flag[],
  check: (context: Context) => void,
): Command {
  return {
    name,
    summary,
    usage,
    flags,
    async run(context) {
      check(context);
      const before = context.dashAt === undefined ? context.args : context.args.slice(0, context.dashAt);
      const word = before.find((arg) => !arg.includes(":")) ?? before[0]?.split(":")[0];
      const [pod] = word === undefined || name === "cp" ? [] : await podsOf(context, word);
      if (pod !== undefined && ["exec", "attach"].includes(name) && text(pod, "spec", "nodeName") === "")
        throw new CtlError(`Error from server (BadRequest): pod ${nameOf(pod)} does not have a host assigned`, {
          isBare: true,
        });
      throw new CtlError(
        `${name} needs an agent on the node of the pod; this server has none attached. "${context.program} logs", "describe" and "events" show what is known`,
      );
    },
  };
}

export const exec = streaming(
  "exec",
  "Execute a command in a container",
  "(POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]",
  streamFlags,
  (context) => {
    if (context.args.length === 0) throw new UsageError("pod or type/name must be specified");
    const command = context.dashAt === undefined ? context.args.slice(1) : context.args.slice(context.dashAt);
    if (command.length === 0) throw new UsageError("you must specify at least one command for the container");
    if (context.dashAt === undefined && context.isKubectl)
      context.say(
        "kubectl exec [POD] [COMMAND] is DEPRECATED and will be removed in a future version. Use kubectl exec [POD] -- [COMMAND] instead.",
      );
  },
);

export const attach = streaming(
  "attach",
  "Attach to a running container",
  "(POD | TYPE/NAME) -c CONTAINER",
  streamFlags,
  (context) => {
    if (context.args.length === 0) throw new UsageError("at least 1 argument is required for attach");
  },
);

export const portForward = streaming(
  "port-forward",
  "Forward one or more local ports to a pod",
  "TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT",
  [
    { name: "address", type: "list", value: "localhost", help: "Addresses to listen on" },
    { name: "pod-running-timeout", type: "duration", value: "1m0s", help: "Ignored", isHidden: true },
  ],
  (context) => {
    if (context.args.length < 2) throw new UsageError("TYPE/NAME and list of ports are required for port-forward");
  },
);

export const cp = streaming(
  "cp",
  "Copy files and directories to and from containers",
  "<file-spec-src> <file-spec-dest>",
  [containerFlag, { name: "no-preserve", type: "bool", help: "Do not keep owners and modes" }],
  (context) => {
    if (context.args.length !== 2) throw new UsageError("source and destination are required");
    const remote = context.args.filter((arg) => arg.includes(":"));
    if (remote.length === 0) throw new CtlError("one of src or dest must be a remote file specification");
    if (remote.length === 2) throw new CtlError("one of src or dest must be a local file specification");
  },
);

export const debug = streaming(
  "debug",
  "Create debugging sessions for troubleshooting workloads and nodes",
  "(POD | TYPE/NAME) --image=image",
  [...streamFlags, { name: "image", type: "text", help: "The image to debug with" }],
  () => {},
);
