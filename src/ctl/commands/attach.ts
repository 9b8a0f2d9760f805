/** `attach`: connects to the streams of a process that already runs in a container. */

import { bool, type FlagValues } from "../../base/flags/flag.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { podTimeoutFlag } from "../flags/declared.ts";
import { type Json, nameOf, text } from "../json.ts";
import { streamPath } from "../streams/connect.ts";
import { chosenContainer, containerFlag, findPods, isCompleted, isTrue } from "../streams/pods.ts";
import { chooseTerminal, runRemote, throwEnding } from "../streams/process.ts";

const attachFlags = {
  ...containerFlag,
  stdin: bool("Pass standard input to the container", false, { short: "i" }),
  tty: bool("Standard input is a terminal", false, { short: "t" }),
  quiet: bool("Print only the output of the container", false, { short: "q" }),
  ...podTimeoutFlag(60_000),
};

type AttachContext = Context<FlagValues<typeof attachFlags>>;

export const attach = command({
  name: "attach",
  summary: "Attach to a running container",
  usage: "(POD | TYPE/NAME) -c CONTAINER",
  examples: `ctl attach mypod
ctl attach mypod -c ruby-container -i -t
ctl attach rs/nginx`,
  flags: attachFlags,
  run,
});

async function run(context: AttachContext): Promise<void> {
  const { args, flags } = context;
  if (args.length === 0) throw new CtlError("at least 1 argument is required for attach");
  if (args.length > 2)
    throw new CtlError(
      `expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw ${args.length}: [${args.join(" ")}]`,
    );
  if (flags["pod-running-timeout"] <= 0) throw new UsageError("--pod-running-timeout must be higher than zero");
  const { pods } = await findPods(context, { word: args.join("/"), purpose: "attach to" });
  const [pod] = pods;
  if (pod === undefined) return;
  await attachTo(context, pod, {
    container: flags.container,
    stdin: flags.stdin,
    tty: flags.tty,
    isQuiet: flags.quiet,
  });
}

export interface Attachment {
  /** "": the default container. */
  readonly container: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly isQuiet: boolean;
}

/** Resolves when the process has ended, or the user has detached. */
export async function attachTo(context: Context, pod: Json, wanted: Attachment): Promise<void> {
  if (isCompleted(pod))
    throw new CtlError(
      `cannot attach a container in a completed pod; current phase is ${text(pod, "status", "phase")}`,
    );
  const container = await chosenContainer(context, pod, wanted.container, wanted.isQuiet);
  const name = text(container, "name");
  // The container decides whether there is a terminal, whatever the flags request.
  const hasTerminal = isTrue(container, "tty");
  if (wanted.tty && !hasTerminal && !wanted.isQuiet)
    context.say(`error: Unable to use a TTY - container ${name} did not allocate one`);
  const terminal = chooseTerminal(context, { stdin: wanted.stdin, tty: hasTerminal, isQuiet: wanted.isQuiet });
  const path = await streamPath(context, pod, "attach", [
    ["container", name],
    ...(wanted.stdin ? [["stdin", "true"] as const] : []),
    ["stdout", "true"],
    hasTerminal ? ["tty", "true"] : ["stderr", "true"],
  ]);
  const { stdin, stdout, stderr } = context.environment;
  const hint = () => {
    if (!wanted.isQuiet) context.say("If you don't see a command prompt, try pressing enter.");
  };
  // kubectl prints this before it knows whether there is anything to attach to.
  if (context.behaviour.hintsBeforeAttaching) hint();
  throwEnding(
    await runRemote(context, {
      command: "attach",
      path,
      isTerminal: hasTerminal,
      terminal,
      isJoined: true,
      onOpen: context.behaviour.hintsBeforeAttaching ? () => {} : hint,
      stdin: wanted.stdin ? stdin.chunks() : undefined,
      stdout,
      stderr,
    }),
  );
  if (wanted.stdin && terminal !== undefined && text(pod, "spec", "restartPolicy") === "Always")
    context.print(
      `Session ended, resume using '${context.program} attach ${nameOf(pod)} -c ${name} -i -t' command when the pod is running\n`,
    );
}
