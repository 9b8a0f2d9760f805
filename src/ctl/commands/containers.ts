/** `exec`, `attach`, `port-forward` and `cp`: streams from and to containers, and the line that says what they need. */

import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { filenameFlags } from "../flags/declared.ts";
import type { Flag } from "../flags/flag.ts";
import { hasFiles, manifestsOf } from "../input/lookups.ts";
import { nameOf, text } from "../json.ts";
import { containerFlag, podsOf } from "./pods-of.ts";

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
  check: (context: Context) => void | Promise<void>,
): Command {
  return {
    name,
    summary,
    usage,
    flags,
    async run(context) {
      await check(context);
      const before = context.dashAt === undefined ? context.args : context.args.slice(0, context.dashAt);
      const word = before.find((arg) => !arg.includes(":")) ?? before[0]?.split(":")[0];
      const [pod] = word === undefined || name === "cp" ? [] : await podsOf(context, word);
      if (pod !== undefined && ["exec", "attach"].includes(name) && text(pod, "spec", "nodeName") === "")
        throw new CtlError(`Error from server (BadRequest): pod ${nameOf(pod)} does not have a host assigned`, {
          isBare: true,
        });
      throw new CtlError(attachLine(context, name));
    },
  };
}

/** The one line that says why nothing can be streamed. */
export const attachLine = (context: Context, name: string): string =>
  `${name} needs an agent on the node of the pod; this server has none attached. "${context.program} logs", "describe" and "events" show what is known`;

export const exec = streaming(
  "exec",
  "Execute a command in a container",
  "(POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]",
  [...streamFlags, ...filenameFlags],
  async (context) => {
    if (context.args.length === 0 && !hasFiles(context))
      throw new CtlError("pod, type/name or --filename must be specified");
    const command = context.dashAt === undefined ? context.args.slice(1) : context.args.slice(context.dashAt);
    if (command.length === 0) throw new CtlError("you must specify at least one command for the container");
    if (hasFiles(context) && (await manifestsOf(context)).length > 1)
      throw new CtlError("cannot exec into multiple objects at a time");
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
