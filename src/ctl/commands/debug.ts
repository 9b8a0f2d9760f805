/** `debug`: a copy of a pod to debug with, a pod on a node, or one more container in a running pod. */

import { command } from "../command.ts";
import { CtlError } from "../errors.ts";
import { findTargets, type ObjectTarget } from "../input/targets.ts";
import type { DebugContainer } from "./debug/containers.ts";
import { debugCopy } from "./debug/copy.ts";
import { checkFlags, type DebugContext, debugFlags } from "./debug/flags.ts";
import { debugInside } from "./debug/inside.ts";
import { debugNode } from "./debug/node.ts";
import { attachToNew } from "./new-container.ts";

/** How long to wait until the container runs. */
const attachTimeoutMs = 60_000;

export const debug = command({
  name: "debug",
  summary: "Create debugging sessions for troubleshooting workloads and nodes",
  usage: "(POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ]",
  examples: `ctl debug mypod -it --image=busybox
ctl debug mypod --image=busybox --target=web --profile=restricted
ctl debug mypod --copy-to=my-debugger --image=busybox --container=debugger
ctl debug node/mynode -it --image=busybox`,
  flags: debugFlags,
  run,
});

async function run(context: DebugContext): Promise<void> {
  const words = context.dashAt === undefined ? [] : context.args.slice(context.dashAt);
  const names = (context.dashAt === undefined ? context.args : context.args.slice(0, context.dashAt)).map((word) =>
    word.includes("/") ? word : `pod/${word}`,
  );
  checkFlags(context, names, words);
  const isAttached = context.isSet("attach") ? context.flags.attach : context.flags.stdin;
  for (const target of await findTargets(context, { args: names })) {
    const made = await debugWith(context, target, words);
    if (!isAttached) continue;
    const [stdin, tty] = [context.flags.stdin, context.flags.tty];
    const wanted = { container: made.container, stdin, tty, isQuiet: context.flags.quiet };
    await attachToNew(context, made.pod, wanted, attachTimeoutMs);
  }
}

async function debugWith(
  context: DebugContext,
  target: ObjectTarget,
  words: readonly string[],
): Promise<DebugContainer> {
  const { kind, group, version } = target.resource;
  if (kind === "Node") return debugNode(context, target, words);
  if (kind !== "Pod") throw new CtlError(`"${group}/${version}, Kind=${kind}" not supported by debug`);
  return context.flags["copy-to"] === ""
    ? debugInside(context, target.object, words)
    : debugCopy(context, target.object, words);
}
