/** `rollout undo`: goes back to an earlier revision. */

import type { Context } from "../../context.ts";
import { podTemplate } from "../../describe/pods.ts";
import { describeUnaligned } from "../../describe/writer.ts";
import { CtlError } from "../../errors.ts";
import type { ObjectTarget } from "../../input/targets.ts";
import { copy, dig, isSame, type Json, object } from "../../json.ts";
import { dryRunOf, printResult } from "../../output/formats.ts";
import { managerOf, writeOptions } from "../../write/write-options.ts";
import { noMethod, type Revision, revisionsOf, templateOf } from "./revisions.ts";

export async function undo(context: Context<{ readonly "to-revision": bigint }>, target: ObjectTarget): Promise<void> {
  const { resource, name, namespace, object: owner } = target;
  const to = context.flags["to-revision"];
  const all = await revisionsOf(context, target, noMethod("error retrieving rollbacker for", "rollbacker", resource));
  if (dig(owner, "spec", "paused") === true)
    throw new CtlError(
      `you cannot rollback a paused deployment; resume it first with '${context.program} rollout resume deployment/${name}' and try again`,
    );
  const wanted = chosen(all, to, resource.kind, name);
  const template = copy(templateOf(wanted));
  const dryRun = dryRunOf(context);
  if (dryRun === "client") {
    const text = await describeUnaligned([podTemplate], template, context);
    const told = resource.kind === "Deployment" ? text : `will roll back to ${text}`;
    return printResult(context, owner, told, dryRun);
  }
  const hash = resource.kind === "Deployment" ? "pod-template-hash" : "controller-revision-hash";
  delete object(template, "metadata", "labels")[hash];
  if (isSame(template, object(owner, "spec", "template")))
    return printResult(context, owner, `skipped rollback (current template already matches revision ${wanted.number})`);
  const manager = managerOf(context, "");
  const patch =
    resource.kind === "Deployment"
      ? deploymentPatch(await keptAnnotations(context, wanted, owner), template)
      : { spec: { template: { ...template, $patch: "replace" } } };
  const result = await context.at(resource).patch({ namespace, name }, patch, {
    ...writeOptions(manager, dryRun),
    type: resource.kind === "Deployment" ? "json" : "strategic",
  });
  printResult(context, result, "rolled back", dryRun);
}

function chosen(all: readonly Revision[], to: bigint, kind: string, name: string): Revision {
  if (to !== 0n) {
    const found = all.find((one) => one.number === to);
    if (found === undefined) throw new CtlError(`unable to find specified revision ${to} in history`);
    return found;
  }
  const before = all.at(-2);
  if (before === undefined)
    throw new CtlError(
      kind === "Deployment" ? `no rollout history found for deployment "${name}"` : "no last revision to roll back to",
    );
  return before;
}

function deploymentPatch(annotations: Json, template: Json): Json[] {
  return [
    { op: "replace", path: "/spec/template", value: template },
    { op: "add", path: "/metadata/annotations", value: annotations },
  ];
}

/** Restores the annotations of the revision too, except those of the deployment itself. */
async function keptAnnotations(context: Context, wanted: Revision, owner: Json): Promise<Json> {
  const vocabulary = await context.vocabulary();
  const own = [
    "ctl.orch.io/last-applied-configuration",
    "deployment.orch.io/revision",
    "deployment.orch.io/revision-history",
    "deployment.orch.io/desired-replicas",
    "deployment.orch.io/max-replicas",
    "deprecated.deployment.rollback.to",
  ].map((key) => vocabulary.word(key));
  const kept: Json = {};
  for (const [key, value] of Object.entries(object(owner, "metadata", "annotations")))
    if (own.includes(key)) kept[key] = value;
  for (const [key, value] of Object.entries(object(wanted.object, "metadata", "annotations")))
    if (!own.includes(key)) kept[key] = value;
  return kept;
}
