/** `taint`, `cordon` and `uncordon`: which pods may be scheduled to nodes. */

import { bool, type FlagValues, string } from "../../base/flags/flag.ts";
import { cordonPatch } from "../../operations/acts.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { allFlag, dryRunFlag, fieldManagerFlag, printFlags, selectorFlag } from "../flags/declared.ts";
import { nothingNamed } from "../input/lookups.ts";
import { forEachTarget, type ObjectTarget } from "../input/targets.ts";
import { changedBy, copy, ensure, type Json, list, object, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { patchTo } from "../write/patch-to.ts";
import { managerOf } from "../write/write-options.ts";

const taintFlags = {
  ...printFlags,
  ...selectorFlag,
  ...allFlag,
  ...dryRunFlag,
  validate: string("Ignored: the server checks taints", "true", { bare: "true", isHidden: true }),
  ...fieldManagerFlag("taint"),
  overwrite: bool("Replace existing taints"),
};

type TaintContext = Context<FlagValues<typeof taintFlags>>;

export const taint = command({
  name: "taint",
  summary: "Update the taints on one or more nodes",
  usage: "NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N",
  examples: `ctl taint nodes foo dedicated=special-user:NoSchedule
ctl taint nodes foo dedicated:NoSchedule-
ctl taint nodes foo dedicated-`,
  flags: taintFlags,
  run: runTaint,
});

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
  if (more.length > 0 || rest.length > 0 || key === "") throw new UsageError(`invalid taint spec: ${word}`);
  const isQualified = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(key);
  // Without an effect the whole word is a key, which must not contain "=".
  if (!isQualified || (effect === "" && !isRemoved))
    throw new UsageError(
      `invalid taint spec: ${word}, name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    );
  if (!/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value))
    throw new UsageError(
      `invalid taint spec: ${word}, a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    );
  if (effect !== "" && !effects.has(effect))
    throw new UsageError(`invalid taint effect: ${effect}, unsupported taint effect`);
  return { taint: { key, value, effect }, isRemoved };
}

async function runTaint(context: TaintContext): Promise<void> {
  const at = context.args.findIndex((word, index) => index > 0 && (/[:=]/.test(word) || word.endsWith("-")));
  const args = at < 0 ? context.args : context.args.slice(0, at);
  const words = at < 0 ? [] : context.args.slice(at);
  const [type] = args;
  if (type === undefined) throw new CtlError("one or more resources must be specified as <resource> <name>");
  if (words.length === 0) throw new CtlError("at least one taint update is required");
  const parsed = words.map(parseTaint);
  requireDistinct(parsed);
  await requireNodes(context, type);
  const manager = managerOf(context, "taint");
  // --all and a selector take precedence over names.
  const isEach = context.flags.all || context.flags.selector !== "";
  await forEachTarget(context, { args: isEach ? ["nodes"] : ["nodes", ...args.slice(1)] }, async (target) => {
    const before = list(target.object, "spec", "taints");
    const { taints, operation } = changed(context, before, parsed, target.name);
    const after = copy(target.object);
    if (taints.length > 0) ensure(after, "spec")["taints"] = taints;
    else delete ensure(after, "spec")["taints"];
    const result = (await patchTo(context, target, { before: target.object, after, manager })) ?? after;
    printResult(context, result, operation, dryRunOf(context));
  });
}

/** A key and effect may be set once, and must not be both set and removed. */
function requireDistinct(parsed: readonly { taint: Taint; isRemoved: boolean }[]): void {
  const seen = new Set<string>();
  const set = parsed.filter(({ isRemoved }) => !isRemoved).map(({ taint: one }) => one);
  for (const { key, value, effect } of set) {
    if (seen.has(`${key}:${effect}`))
      throw new UsageError(`duplicated taints with the same key and effect: {${key} ${value} ${effect} <nil>}`);
    seen.add(`${key}:${effect}`);
  }
  const both = parsed.filter(({ taint: { key, effect }, isRemoved }) => isRemoved && seen.has(`${key}:${effect}`));
  if (both.length > 0)
    throw new CtlError(
      `can not both modify and remove the following taint(s) in the same command: ${both.map(({ taint: { key, effect } }) => JSON.stringify({ [key]: effect })).join(", ")}`,
    );
}

async function requireNodes(context: Context, type: string): Promise<void> {
  const found = (await context.discovery()).find(type);
  if (found === undefined) throw new CtlError(`the server doesn't have a resource type "${type}"`, { isBare: true });
  if (found.resource !== "nodes") throw new CtlError(`invalid resource type ${type}, only node types are supported`);
}

function changed(
  context: TaintContext,
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
      if (found && !context.flags.overwrite)
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

const cordonFlags = { ...selectorFlag, ...dryRunFlag, ...fieldManagerFlag("") };

export const cordon = command({
  name: "cordon",
  summary: "Mark node as unschedulable",
  usage: "NODE",
  examples: `ctl cordon foo
ctl cordon -l rack=7`,
  flags: cordonFlags,
  run: (context) => setCordons(context, true),
});

export const uncordon = command({
  name: "uncordon",
  summary: "Mark node as schedulable",
  usage: "NODE",
  examples: `ctl uncordon foo`,
  flags: cordonFlags,
  run: (context) => setCordons(context, false),
});

async function setCordons(context: Context, isCordoned: boolean): Promise<void> {
  for (const target of await findNodes(context)) await setCordon(context, target, isCordoned);
}

/** Finds all of them before it changes the first. */
export async function findNodes(context: Context): Promise<ObjectTarget[]> {
  const nodes: ObjectTarget[] = [];
  await forEachTarget(context, { args: nodeArgs(context) }, async (target) => {
    const { group, version, resource: name } = target.resource;
    if (name !== "nodes")
      throw new CtlError(`expected resource of type node, got "${group}/${version}, Resource=${name}"`);
    nodes.push(target);
  });
  return nodes;
}

function nodeArgs(context: Context): string[] {
  const { args, flags } = context;
  if (args.length === 0 && !context.isSet("selector"))
    throw new UsageError(`USAGE: ${context.path.join(" ")} NODE [flags]`);
  if (args.length === 0 && flags.selector === "") throw new CtlError(nothingNamed);
  if (args.length > 0 && flags.selector !== "")
    throw new UsageError("cannot specify both a node name and a --selector option");
  return args.some((arg) => arg.includes("/"))
    ? args.map((arg) => (arg.includes("/") ? arg : `node/${arg}`))
    : ["nodes", ...args];
}

export async function setCordon(context: Context, target: ObjectTarget, isCordoned: boolean): Promise<void> {
  const word = isCordoned ? "cordoned" : "uncordoned";
  const dryRun = dryRunOf(context);
  if ((object(target.object, "spec")["unschedulable"] === true) === isCordoned)
    return printResult(context, target.object, `already ${word}`, dryRun);
  const after = changedBy(target.object, cordonPatch(isCordoned));
  await patchTo(context, target, { before: target.object, after, manager: managerOf(context, "") });
  printResult(context, target.object, word, dryRun);
}
