/** `exec`: runs a command in a container, with its streams and its exit code. */

import { bool, type FlagValues } from "../../base/flags/flag.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { filenameFlags, podTimeoutFlag } from "../flags/declared.ts";
import { hasFiles, manifestsOf, namespaceFor, resourceOf } from "../input/lookups.ts";
import { type Json, nameOf, text } from "../json.ts";
import { streamPath } from "../streams/connect.ts";
import { chosenContainer, containerFlag, findPods, isCompleted } from "../streams/pods.ts";
import { chooseTerminal, runRemote, throwEnding } from "../streams/process.ts";

const execFlags = {
  ...containerFlag,
  stdin: bool("Pass standard input to the command", false, { short: "i" }),
  tty: bool("Give the command a terminal; needs -i", false, { short: "t" }),
  quiet: bool("Print only the output of the command", false, { short: "q" }),
  ...podTimeoutFlag(60_000),
  ...filenameFlags,
};

type ExecContext = Context<FlagValues<typeof execFlags>>;

export const exec = command({
  name: "exec",
  summary: "Execute a command in a container",
  usage: "(POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]",
  examples: `ctl exec mypod -- date
ctl exec mypod -c ruby-container -i -t -- bash -il
ctl exec deploy/mydeployment -- ls -l /usr
echo 'select 1' | ctl exec -i svc/db -- psql`,
  flags: execFlags,
  run,
});

async function run(context: ExecContext): Promise<void> {
  const { flags } = context;
  const { word, words, namespace } = await targetOf(context);
  const isQuiet = flags.quiet;
  const { pods } = await findPods(context, { word, namespace, purpose: "attach to" });
  const [pod] = pods;
  if (pod === undefined) return;
  if (isCompleted(pod))
    throw new CtlError(
      `cannot exec into a container in a completed pod; current phase is ${text(pod, "status", "phase")}`,
    );
  const container = await chosenContainer(context, pod, flags.container, isQuiet);
  const hasStdin = flags.stdin;
  const terminal = chooseTerminal(context, { stdin: hasStdin, tty: flags.tty, isQuiet });
  const isTerminal = terminal !== undefined;
  const path = await execPath(context, pod, { container: text(container, "name"), words, hasStdin, isTerminal });
  const { stdin, stdout, stderr } = context.environment;
  throwEnding(
    await runRemote(context, {
      command: "exec",
      path,
      isTerminal,
      terminal,
      stdin: hasStdin ? stdin.chunks() : undefined,
      stdout,
      stderr,
    }),
  );
}

export interface ExecQuestion {
  readonly container: string;
  readonly words: readonly string[];
  readonly hasStdin: boolean;
  readonly isTerminal: boolean;
}

/** A terminal has one output, so the second stream is not requested. */
export function execPath(context: Context, pod: Json, question: ExecQuestion): Promise<string> {
  const { container, words, hasStdin, isTerminal } = question;
  return streamPath(context, pod, "exec", [
    ...words.map((word): [string, string] => ["command", word]),
    ["container", container],
    ...(hasStdin ? [["stdin", "true"] as const] : []),
    ["stdout", "true"],
    isTerminal ? ["tty", "true"] : ["stderr", "true"],
  ]);
}

/** The pod and the command: `exec POD -- COMMAND`, `exec -f FILE -- COMMAND`, and the old form without dashes. */
async function targetOf(
  context: Context,
): Promise<{ word: string; words: readonly string[]; namespace?: string | undefined }> {
  const { args, dashAt } = context;
  const isFile = hasFiles(context);
  if (args.length === 0 && !isFile) throw new CtlError("pod, type/name or --filename must be specified");
  const words = dashAt === undefined ? args.slice(isFile ? 0 : 1) : args.slice(dashAt);
  if (words.length === 0) throw new CtlError("you must specify at least one command for the container");
  if (dashAt === 0 && !isFile) throw new CtlError("pod, type/name or --filename must be specified");
  if (dashAt === undefined && !isFile)
    context.say(
      `${context.program} exec [POD] [COMMAND] is DEPRECATED and will be removed in a future version. Use ${context.program} exec [POD] -- [COMMAND] instead.`,
    );
  if (!isFile) return { word: args[0]!, words };
  const manifests = await manifestsOf(context);
  const [first] = manifests;
  if (manifests.length > 1 || first === undefined) throw new CtlError("cannot exec into multiple objects at a time");
  const resource = await resourceOf(context, first.object, first.source);
  const type = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
  return { word: `${type}/${nameOf(first.object)}`, words, namespace: namespaceFor(context, first.object) };
}
