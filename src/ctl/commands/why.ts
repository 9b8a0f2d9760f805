/** `why`: why an object is not as it should be, what blocks its deletion, or why a request is denied. */

import { hasReason } from "../../client/requests/refusals.ts";
import { verdictOf } from "../../operations/review.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { UnknownType, UsageError } from "../errors.ts";
import { filenameFlags, selectorFlag } from "../flags/declared.ts";
import { findLookups } from "../input/lookups.ts";
import { forEachTarget, type ObjectTarget } from "../input/targets.ts";
import { isJson, namespaceOf, nameText, text } from "../json.ts";
import { attributesOf, review } from "./auth/can-i.ts";
import { grantCommands, nearestRule } from "./auth/nearest-rule.ts";
import { userOf } from "./auth/whoami.ts";
import { deletionLines } from "./why/deletion.ts";
import { explainers } from "./why/list.ts";
import { explainOther } from "./why/others.ts";
import { deletedLines, lostRightLines, pastLines, servedNoMore } from "./why/past.ts";

export const why = command({
  name: "why",
  summary: "Explain why an object does not work, what blocks its deletion, or why an action is denied",
  usage: "(TYPE NAME | TYPE/NAME | denied VERB TYPE [NAME])",
  examples: `ctl why namespace/shop
ctl why pod/web-0
ctl why deployment/web
ctl why denied delete pods -n shop --as jane`,
  flags: { ...filenameFlags, ...selectorFlag },
  async run(context) {
    const [first, verb = "", target = "", name = ""] = context.args;
    if (first === "denied") return denied(context, verb, target, name);
    try {
      await forEachTarget(context, {}, (one) => explain(context, one));
    } catch (error) {
      const lines = await goneLines(context, error);
      if (lines.length === 0) throw error;
      for (const line of lines) context.print(`${line}\n`);
    }
  },
});

/** What a history knows of an object that is not there, or of a kind that is not served. */
async function goneLines(context: Context, error: unknown): Promise<string[]> {
  if (error instanceof UnknownType) return servedNoMore(context, (context.args[0] ?? "").split("/")[0] ?? "");
  if (!hasReason(error, "NotFound")) return [];
  const lines: string[] = [];
  for (const { resource, namespace, name } of await findLookups(context))
    if (name !== undefined) lines.push(...(await deletedLines(context, resource, namespace, name)));
  return lines;
}

async function denied(context: Context, verb: string, target: string, name: string): Promise<void> {
  if (verb === "" || target === "") throw new UsageError("you must specify a verb and a resource");
  const spec = await attributesOf(context, verb, target, name);
  const answer = await review(context, "selfsubjectaccessreviews", "SelfSubjectAccessReview", spec);
  const { isAllowed, reason: given, problem } = verdictOf(answer);
  const reason = given || problem;
  if (isAllowed === true) return context.print(`it is allowed${reason === "" ? "" : `: ${reason}`}\n`);
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
  // Whoever is impersonated may hardly read the history.
  const asker = context.withoutImpersonation();
  try {
    for (const line of await lostRightLines(asker, text(attributes, "namespace"))) context.print(`  ${line}\n`);
  } finally {
    if (asker !== context) asker.close();
  }
  context.print(
    `"${context.program} auth who-can ${verb} ${target}" lists who may; "${context.program} auth can-i --list" what you may\n`,
  );
}

async function explain(context: Context, target: ObjectTarget): Promise<void> {
  const { object: value, resource } = target;
  const title = `${nameText(value)}${namespaceOf(value) === "" ? "" : ` in namespace ${namespaceOf(value)}`}`;
  const deleted = text(value, "metadata", "deletionTimestamp");
  if (deleted !== "") {
    context.print(`${title} is being deleted since ${deleted}\n`);
    for (const line of await deletionLines(context, target)) context.print(`  ${line}\n`);
    return;
  }
  const vocabulary = await context.vocabulary();
  const known = explainers.find(
    ({ kind, group }) => kind === resource.kind && vocabulary.group(group) === resource.group,
  );
  const { summary, lines } = await (known?.explain ?? explainOther)(context, value);
  context.print(`${title} ${summary}\n`);
  for (const line of [...lines, ...(await pastLines(context, resource, value, lines))]) context.print(`  ${line}\n`);
}
