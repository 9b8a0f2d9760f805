/** `why`: what blocks the deletion of an object, why a pod does not run, or why a request is denied. */

import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { filenameFlags, selectorFlag } from "../flags/declared.ts";
import { everyResource } from "../input/everything.ts";
import { forEachTarget, type ObjectTarget } from "../input/targets.ts";
import { isJson, type Json, list, nameOf, namespaceOf, nameText, object, text, texts } from "../json.ts";
import { pendingReasons } from "../streams/pending.ts";
import { attributesOf, review } from "./auth/can-i.ts";
import { grantCommands, nearestRule } from "./auth/nearest-rule.ts";
import { userOf } from "./auth/whoami.ts";

export const why = command({
  name: "why",
  summary: "Explain what blocks the deletion of an object, why a pod is pending, or why an action is denied",
  usage: "(TYPE NAME | TYPE/NAME | denied VERB TYPE [NAME])",
  examples: `ctl why namespace/shop
ctl why pod/web-0
ctl why denied delete pods -n shop --as jane`,
  flags: { ...filenameFlags, ...selectorFlag },
  async run(context) {
    const [first, verb = "", target = "", name = ""] = context.args;
    if (first === "denied") return denied(context, verb, target, name);
    await forEachTarget(context, {}, (one) => explain(context, one));
  },
});

async function denied(context: Context, verb: string, target: string, name: string): Promise<void> {
  if (verb === "" || target === "") throw new UsageError("you must specify a verb and a resource");
  const spec = await attributesOf(context, verb, target, name);
  const answer = await review(context, "selfsubjectaccessreviews", "SelfSubjectAccessReview", spec);
  const status = object(answer, "status");
  const reason = text(status, "reason") || text(status, "evaluationError");
  if (status["allowed"] === true) return context.print(`it is allowed${reason === "" ? "" : `: ${reason}`}\n`);
  context.print(`it is denied${reason === "" ? ": no rule allows it" : `: ${reason}`}\n`);
  const attributes = spec["resourceAttributes"];
  const near = isJson(attributes) ? await nearestRule(context, attributes) : undefined;
  if (near !== undefined) context.print(`  nearest rule: ${near}\n`);
  const user = await userOf(context).then(
    (info) => text(info, "username"),
    () => undefined, // only the name in the command is missing
  );
  context.print("  to allow it:\n");
  for (const line of grantCommands(context.program, spec, user)) context.print(`    ${line}\n`);
  context.print(
    `"${context.program} auth who-can ${verb} ${target}" lists who may; "${context.program} auth can-i --list" what you may\n`,
  );
}

async function explain(context: Context, target: ObjectTarget): Promise<void> {
  const { object: value } = target;
  const deleted = text(value, "metadata", "deletionTimestamp");
  const finalizers = texts(value, "metadata", "finalizers");
  const pending = value["kind"] === "Pod" && deleted === "" ? await pendingReasons(context, value) : [];
  const title = `${nameText(value)}${namespaceOf(value) === "" ? "" : ` in namespace ${namespaceOf(value)}`}`;
  if (pending.length > 0) context.print(`${title} does not run yet\n`);
  for (const reason of pending) context.print(`  ${reason}\n`);
  if (deleted === "") context.print(`${title} is not being deleted\n`);
  else context.print(`${title} is being deleted since ${deleted}\n`);
  for (const finalizer of finalizers)
    context.print(`  finalizer ${finalizer}: the controller that added it must remove it first\n`);
  if (value["kind"] === "Namespace") await explainNamespace(context, value);
  if (finalizers.includes("foregroundDeletion"))
    for (const dependent of await dependentsOf(context, value))
      context.print(`  waits for ${nameText(dependent)}, which it owns\n`);
  const grace = text(value, "metadata", "deletionGracePeriodSeconds");
  if (deleted !== "" && value["kind"] === "Pod" && text(value, "spec", "nodeName") !== "")
    context.print(
      `  the agent of node ${text(value, "spec", "nodeName")} has ${grace || "0"}s to end it and must confirm\n`,
    );
  if (finalizers.length === 0 && deleted === "" && value["kind"] !== "Namespace")
    context.print("  nothing would block its deletion\n");
  if (finalizers.length > 0)
    context.print(
      `  to give up on the finalizers: ${context.program} patch ${target.resource.resource} ${target.name} --type=merge -p '{"metadata":{"finalizers":null}}'\n`,
    );
}

async function explainNamespace(context: Context, value: Json): Promise<void> {
  const isDeleted = text(value, "metadata", "deletionTimestamp") !== "";
  for (const finalizer of isDeleted ? texts(value, "spec", "finalizers") : [])
    context.print(`  finalizer ${finalizer} of the namespace, until it is empty\n`);
  for (const condition of list(value, "status", "conditions"))
    if (condition["status"] === "True") context.print(`  ${text(condition, "type")}: ${text(condition, "message")}\n`);
  const left = new Map<string, Json[]>();
  for (const resource of (await everyResource(context)).filter(({ namespaced }) => namespaced)) {
    const found: Json[] = [];
    try {
      for await (const one of context.at(resource).items({ namespace: nameOf(value) })) found.push(one);
    } catch {
      continue; // objects that the caller may not list cannot be reported
    }
    if (found.length > 0) left.set(resource.resource, found);
  }
  let blocking = 0;
  for (const [name, objects] of left) {
    context.print(`  ${objects.length} ${name} ${isDeleted ? "left" : "would be deleted with it"}\n`);
    for (const one of objects)
      for (const finalizer of texts(one, "metadata", "finalizers")) {
        blocking++;
        context.print(`    ${nameText(one)} has finalizer ${finalizer}\n`);
      }
  }
  if (!isDeleted && blocking === 0) context.print("  nothing would block its deletion\n");
}

/** Objects of the same namespace that name this one as an owner. */
export async function dependentsOf(context: Context, owner: Json): Promise<Json[]> {
  const uid = text(owner, "metadata", "uid");
  const found: Json[] = [];
  for (const resource of await everyResource(context)) {
    try {
      const namespace = resource.namespaced ? namespaceOf(owner) : "";
      if (!resource.namespaced && namespaceOf(owner) !== "") continue;
      for await (const one of context.at(resource).items({ namespace }))
        if (list(one, "metadata", "ownerReferences").some((reference) => text(reference, "uid") === uid))
          found.push(one);
    } catch {
      // The caller may not list these.
    }
  }
  return found;
}
