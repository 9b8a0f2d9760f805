/** `taint`, `cordon`, `uncordon` and `drain`: which pods nodes take. */

import { pathOf } from "../api/api.ts";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, isNotFound, ServerError, UsageError } from "../errors.ts";
import { allFlag, dryRunFlag, fieldManagerFlag, printFlags, selectorFlag, validateFlag } from "../flags/declared.ts";
import { findResource } from "../input/lookups.ts";
import { forEachTarget, type Target } from "../input/targets.ts";
import { copy, ensure, type Json, list, nameOf, namespaceOf, object, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { managerOf, patchTo } from "../write/submit.ts";
import { pause, waitGone } from "./delete.ts";

export const taint: Command = {
  name: "taint",
  summary: "Update the taints on one or more nodes",
  usage: "NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N",
  examples: `ctl taint nodes foo dedicated=special-user:NoSchedule
ctl taint nodes foo dedicated:NoSchedule-
ctl taint nodes foo dedicated-`,
  flags: [
    ...printFlags,
    selectorFlag,
    allFlag,
    dryRunFlag,
    validateFlag,
    fieldManagerFlag(""),
    { name: "overwrite", type: "bool", help: "Replace taints that are there" },
  ],
  run: runTaint,
};

const effects = new Set(["NoSchedule", "PreferNoSchedule", "NoExecute"]);

interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

function parseTaint(word: string): { taint: Taint; isRemoved: boolean } {
  const isRemoved = word.endsWith("-");
  const body = isRemoved ? word.slice(0, -1) : word;
  const [pair = "", effect = "", ...more] = body.split(":");
  const [key = "", value = "", ...rest] = pair.split("=");
  if (more.length > 0 || rest.length > 0 || key === "" || (effect === "" && !isRemoved))
    throw new UsageError(`invalid taint spec: ${word}`);
  if (effect !== "" && !effects.has(effect))
    throw new UsageError(`invalid taint effect: ${effect}, unsupported taint effect`);
  return { taint: { key, value, effect }, isRemoved };
}

async function runTaint(context: Context): Promise<void> {
  const at = context.args.findIndex((word, index) => index > 0 && (/[:=]/.test(word) || word.endsWith("-")));
  const args = at < 0 ? context.args : context.args.slice(0, at);
  const words = at < 0 ? [] : context.args.slice(at);
  if (args.length === 0) throw new UsageError("one or more resources must be specified as <resource> <name>");
  if (words.length === 0) throw new UsageError("at least one taint update is required");
  const parsed = words.map(parseTaint);
  const manager = await managerOf(context, "taint");
  await forEachTarget(context, { args }, async (target) => {
    if (target.resource.kind !== "Node")
      throw new CtlError(`invalid resource type ${target.resource.name}, only node(s) is supported`);
    const before = list(target.object, "spec", "taints");
    const { taints, operation } = changed(context, before, parsed, target.name);
    const after = copy(target.object);
    if (taints.length > 0) ensure(after, "spec")["taints"] = taints;
    else delete ensure(after, "spec")["taints"];
    const result = (await patchTo(context, target, { before: target.object, after, manager })) ?? after;
    printResult(context, result, operation, dryRunOf(context));
  });
}

function changed(
  context: Context,
  before: readonly Json[],
  parsed: readonly { taint: Taint; isRemoved: boolean }[],
  node: string,
): { taints: Json[]; operation: string } {
  let taints = [...before];
  const done = new Set<string>();
  for (const { taint: one, isRemoved } of parsed) {
    const isSame = (other: Json) =>
      text(other, "key") === one.key && (one.effect === "" || text(other, "effect") === one.effect);
    const found = taints.some(isSame);
    if (isRemoved) {
      if (!found) throw new CtlError(`taint "${one.key}${one.effect === "" ? "" : `:${one.effect}`}" not found`);
      taints = taints.filter((other) => !isSame(other));
      done.add("untainted");
    } else {
      if (found && !context.flags.on("overwrite"))
        throw new CtlError(`node ${node} already has ${one.key} taint(s) with same effect(s) and --overwrite is false`);
      taints = [
        ...taints.filter((other) => !isSame(other)),
        { effect: one.effect, key: one.key, ...(one.value === "" ? {} : { value: one.value }) },
      ];
      done.add(found ? "modified" : "tainted");
    }
  }
  return { taints, operation: done.size === 1 ? ([...done][0] ?? "modified") : "modified" };
}

const cordonFlags = [selectorFlag, dryRunFlag];

export const cordon: Command = {
  name: "cordon",
  summary: "Mark node as unschedulable",
  usage: "NODE",
  flags: cordonFlags,
  run: (context) => forEachTarget(context, { args: nodeArgs(context) }, (target) => setCordon(context, target, true)),
};

export const uncordon: Command = {
  name: "uncordon",
  summary: "Mark node as schedulable",
  usage: "NODE",
  flags: cordonFlags,
  run: (context) => forEachTarget(context, { args: nodeArgs(context) }, (target) => setCordon(context, target, false)),
};

function nodeArgs(context: Context): string[] {
  const { args, flags } = context;
  if (args.length === 0 && flags.text("selector") === "")
    throw new UsageError(`USAGE: ${context.path.join(" ")} NODE [flags]`);
  if (args.length > 0 && flags.text("selector") !== "")
    throw new CtlError("cannot specify both a node name and a --selector option");
  return args.some((arg) => arg.includes("/"))
    ? args.map((arg) => (arg.includes("/") ? arg : `node/${arg}`))
    : ["nodes", ...args];
}

async function setCordon(context: Context, target: Target, isCordoned: boolean): Promise<void> {
  const word = isCordoned ? "cordoned" : "uncordoned";
  const dryRun = dryRunOf(context);
  if ((object(target.object, "spec")["unschedulable"] === true) === isCordoned)
    return printResult(context, target.object, `already ${word}`, dryRun);
  const after = copy(target.object);
  if (isCordoned) ensure(after, "spec")["unschedulable"] = true;
  else delete ensure(after, "spec")["unschedulable"];
  await patchTo(context, target, { before: target.object, after, manager: await managerOf(context, "") });
  printResult(context, target.object, word, dryRun);
}

export const drain: Command = {
  name: "drain",
  summary: "Drain node in preparation for maintenance",
  usage: "NODE",
  flags: [
    selectorFlag,
    dryRunFlag,
    { name: "force", type: "bool", help: "Also pods that nobody would make again" },
    { name: "ignore-daemonsets", type: "bool", help: "Leave pods of daemon sets" },
    { name: "delete-emptydir-data", type: "bool", help: "Also pods with data in emptyDir" },
    { name: "delete-local-data", type: "bool", help: "The same as --delete-emptydir-data" },
    { name: "disable-eviction", type: "bool", help: "Delete pods without asking disruption budgets" },
    { name: "grace-period", type: "int", value: "-1", help: "Seconds for each pod; negative: its own" },
    { name: "timeout", type: "duration", value: "0s", help: "How long to wait; 0: as long as it takes" },
    { name: "pod-selector", type: "text", help: "Only pods with these labels" },
    {
      name: "skip-wait-for-delete-timeout",
      type: "int",
      value: "0",
      help: "Do not wait for pods deleted longer ago than this",
    },
    { name: "ignore-errors", type: "bool", help: "Ignored", isHidden: true },
    { name: "chunk-size", type: "int", value: "500", help: "Ignored", isHidden: true },
  ],
  async run(context) {
    await forEachTarget(context, { args: nodeArgs(context) }, async (target) => {
      await setCordon(context, target, true);
      await drainNode(context, target);
    });
  },
};

async function drainNode(context: Context, target: Target): Promise<void> {
  const { flags } = context;
  const resource = await findResource(context, "pods");
  const doomed: Json[] = [];
  const refused: string[] = [];
  const left: string[] = [];
  const mirror = (await context.vocabulary()).word("orch.io/config.mirror");
  const query = { fieldSelector: `spec.nodeName=${target.name}`, labelSelector: flags.text("pod-selector") };
  for await (const pod of context.api.items({ resource }, query)) {
    const name = `${namespaceOf(pod)}/${nameOf(pod)}`;
    const owner = list(pod, "metadata", "ownerReferences").find((one) => one["controller"] === true);
    const isOver = ["Succeeded", "Failed"].includes(text(pod, "status", "phase"));
    if (text(pod, "metadata", "annotations", mirror) !== "") continue;
    if (text(owner, "kind") === "DaemonSet" && !isOver) {
      if (flags.on("ignore-daemonsets")) left.push(name);
      else refused.push(`cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): ${name}`);
      continue;
    }
    const hasLocal = list(pod, "spec", "volumes").some((volume) => volume["emptyDir"] !== undefined);
    if (hasLocal && !isOver && !flags.on("delete-emptydir-data") && !flags.on("delete-local-data"))
      refused.push(`cannot delete Pods with local storage (use --delete-emptydir-data to override): ${name}`);
    else if (owner === undefined && !isOver && !flags.on("force"))
      refused.push(
        `cannot delete Pods not managed by ReplicationController, ReplicaSet, Job, DaemonSet or StatefulSet (use --force to override): ${name}`,
      );
    else doomed.push(pod);
  }
  if (refused.length > 0)
    throw new CtlError(
      `unable to drain node "${target.name}", aborting command...\n\nThere are pending nodes to be drained:\n ${target.name}\nerror: ${refused.join("\n")}`,
    );
  if (left.length > 0) context.say(`WARNING: ignoring DaemonSet-managed Pods: ${left.join(", ")}`);
  const dryRun = dryRunOf(context);
  for (const pod of doomed) {
    if (dryRun !== "none") {
      context.print(
        `evicting pod ${namespaceOf(pod)}/${nameOf(pod)} (${dryRun === "server" ? "server " : ""}dry run)\n`,
      );
      continue;
    }
    context.print(`evicting pod ${namespaceOf(pod)}/${nameOf(pod)}\n`);
    await evict(context, resource, pod);
  }
  for (const pod of dryRun === "none" ? doomed : [])
    await waitGone(
      context,
      { resource, namespace: namespaceOf(pod), name: nameOf(pod) },
      text(pod, "metadata", "uid"),
      flags.durationMs("timeout"),
    );
  if (doomed.length > 0 && dryRun === "none") for (const pod of doomed) context.print(`pod/${nameOf(pod)} evicted\n`);
  printResult(context, target.object, "drained", dryRun);
}

const evictionPauseMs = 5_000;

async function evict(context: Context, resource: Parameters<typeof waitGone>[1]["resource"], pod: Json): Promise<void> {
  const grace = context.flags.int("grace-period");
  const deleteOptions = grace < 0 ? {} : { gracePeriodSeconds: grace };
  const place = { resource, namespace: namespaceOf(pod), name: nameOf(pod) };
  for (;;) {
    try {
      if (context.flags.on("disable-eviction"))
        await context.api.json(pathOf(place), {
          method: "DELETE",
          body: { apiVersion: "v1", kind: "DeleteOptions", ...deleteOptions },
        });
      else
        await context.api.json(pathOf({ ...place, subresource: "eviction" }), {
          method: "POST",
          body: {
            apiVersion: "policy/v1beta1",
            kind: "Eviction",
            metadata: { name: place.name, namespace: place.namespace },
            deleteOptions,
          },
        });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!(error instanceof ServerError && error.code === 429)) throw error;
      context.say(
        `error when evicting pods/"${place.name}" -n "${place.namespace}" (will retry after 5s): ${error.message}`,
      );
      await pause(context, evictionPauseMs);
    }
  }
}
