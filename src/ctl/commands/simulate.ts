/** `simulate`: makes simulated nodes fail and recover, and simulated pods crash, finish and lose their readiness. */

import { int, string } from "../../base/flags/flag.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { allFlag, dryRunFlag, fieldManagerFlag, selectorFlag } from "../flags/declared.ts";
import { forEachTarget, type ObjectTarget } from "../input/targets.ts";
import { copy, ensure, type Json, list, object, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { patchTo } from "../write/patch-to.ts";
import { managerOf } from "../write/write-options.ts";

/** Annotations, the same in every vocabulary; null removes one. */
type Changes = Readonly<Record<string, string | null>>;

const prefix = "simulation.orch.io/";
const commonFlags = { ...selectorFlag, ...dryRunFlag, ...fieldManagerFlag("simulate") };
const nodeFlags = { ...commonFlags, ...allFlag };
const pressureFlags = {
  ...nodeFlags,
  of: string("What the node is short of: memory, disk or pid, or several with commas", "memory"),
};
const containerFlag = { container: string("The container, instead of all that run", "", { short: "c" }) };
const crashFlags = { ...commonFlags, ...containerFlag, "exit-code": int("The exit code, 1 to 255", 1) };
const finishFlags = { ...commonFlags, ...containerFlag };

const recovered: Changes = { failed: null, unready: null, pressure: null };

const node = command({
  name: "node",
  aliases: ["nodes", "no"],
  summary: "Make simulated nodes fail and recover",
  usage: "SUBCOMMAND",
  examples: `ctl simulate node fail node-1
ctl simulate node recover --all`,
  subcommands: [
    command({
      name: "fail",
      summary: "Let nodes send no more signs of life",
      usage: "(NAME | -l label | --all)",
      examples: `ctl simulate node fail node-1`,
      flags: nodeFlags,
      run: (context) => changeNodes(context, { failed: "true" }, "failed"),
    }),
    command({
      name: "unready",
      summary: "Let nodes say that they are not ready",
      usage: "(NAME | -l label | --all)",
      examples: `ctl simulate node unready node-1`,
      flags: nodeFlags,
      run: (context) => changeNodes(context, { unready: "true" }, "made unready"),
    }),
    command({
      name: "pressure",
      summary: "Let nodes be short of something, so that they evict pods",
      usage: "(NAME | -l label | --all) [--of=memory]",
      examples: `ctl simulate node pressure node-1 --of=memory,disk`,
      flags: pressureFlags,
      async run(context, { of }) {
        const unknown = of.split(",").find((name) => !["memory", "disk", "pid"].includes(name));
        if (unknown !== undefined) throw new UsageError(`--of: must be memory, disk or pid, not "${unknown}"`);
        await changeNodes(context, { pressure: of }, "put under pressure");
      },
    }),
    command({
      name: "recover",
      summary: "Let nodes work again",
      usage: "(NAME | -l label | --all)",
      examples: `ctl simulate node recover node-1`,
      flags: nodeFlags,
      run: (context) => changeNodes(context, recovered, "recovered"),
    }),
  ],
});

const pod = command({
  name: "pod",
  aliases: ["pods", "po"],
  summary: "Make simulated pods crash, finish or lose their readiness",
  usage: "SUBCOMMAND",
  examples: `ctl simulate pod crash web-0
ctl simulate pod unready -l app=web`,
  subcommands: [
    command({
      name: "crash",
      summary: "Let the containers of pods exit with an error, once",
      usage: "(NAME | -l label)",
      examples: `ctl simulate pod crash web-0 --exit-code=137`,
      flags: crashFlags,
      async run(context, flags) {
        const code = flags["exit-code"];
        if (code < 1 || code > 255) throw new UsageError(`--exit-code: must be from 1 to 255, not ${code}`);
        await changePods(context, (target) => exits(target, flags.container, code), "crashed");
      },
    }),
    command({
      name: "finish",
      summary: "Let the containers of pods exit with success, once",
      usage: "(NAME | -l label)",
      examples: `ctl simulate pod finish migration-x2v7`,
      flags: finishFlags,
      run: (context, { container }) => changePods(context, (target) => exits(target, container, 0), "finished"),
    }),
    command({
      name: "unready",
      summary: "Take the readiness of pods away",
      usage: "(NAME | -l label)",
      examples: `ctl simulate pod unready web-0`,
      flags: commonFlags,
      run: (context) => changePods(context, () => ({ "never-ready": "true" }), "made unready"),
    }),
    command({
      name: "recover",
      summary: "Let pods become ready again",
      usage: "(NAME | -l label)",
      examples: `ctl simulate pod recover web-0`,
      flags: commonFlags,
      run: (context) => changePods(context, () => ({ "never-ready": null }), "recovered"),
    }),
  ],
});

export const simulate = command({
  name: "simulate",
  summary: "Make simulated nodes and pods fail",
  description: `Works on the nodes of "orch up --nodes" and "orch nodes", and on their pods, by annotations that their agents follow.`,
  usage: "(node | pod)",
  examples: `ctl simulate node fail node-1
ctl simulate pod crash web-0`,
  subcommands: [node, pod],
});

async function changeNodes(context: Context, changes: Changes, word: string): Promise<void> {
  await change(context, "nodes", word, ({ name, object: given }) => {
    if (text(given, "metadata", "labels", `${prefix}simulated`) !== "true")
      throw new CtlError(`node "${name}" is not simulated`);
    return changes;
  });
}

function changePods(context: Context, changesOf: (target: ObjectTarget) => Changes, word: string): Promise<void> {
  return change(context, "pods", word, changesOf);
}

async function change(
  context: Context,
  resource: "nodes" | "pods",
  word: string,
  changesOf: (target: ObjectTarget) => Changes,
): Promise<void> {
  const isEach = context.flags.selector !== "" || context.flags.all === true;
  if (context.args.length === 0 && !isEach) throw new UsageError(`USAGE: ${context.path.join(" ")} NAME [flags]`);
  if (context.args.length > 0 && isEach) throw new UsageError("cannot specify both names and a selector");
  const manager = managerOf(context, "simulate");
  await forEachTarget(context, { args: [resource, ...context.args] }, async (target) => {
    const after = copy(target.object);
    const annotations = ensure(after, "metadata", "annotations");
    for (const [name, value] of Object.entries(changesOf(target)))
      if (value === null) delete annotations[prefix + name];
      else annotations[prefix + name] = value;
    const result = (await patchTo(context, target, { before: target.object, after, manager })) ?? after;
    printResult(context, result, word, dryRunOf(context));
  });
}

/** The present run of the containers ends: one that has been restarted since is not meant. */
function exits({ name, object: given }: ObjectTarget, container: string, exitCode: number): Changes {
  const running = list(given, "status", "containerStatuses").filter(
    (one) => "running" in object(one, "state") && (container === "" || nameOfStatus(one) === container),
  );
  if (running.length === 0)
    throw new CtlError(
      container === ""
        ? `no container of pod "${name}" is running`
        : `container "${container}" of pod "${name}" is not running`,
    );
  const entries = running.map((one) => [nameOfStatus(one), { restarts: Number(one["restartCount"] ?? 0), exitCode }]);
  return { exit: JSON.stringify(Object.fromEntries(entries)) };
}

const nameOfStatus = (status: Json): string => text(status, "name");
