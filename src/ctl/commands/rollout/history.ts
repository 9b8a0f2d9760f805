/** The history of a workload: its revisions with the commands that caused them, or one revision in detail. */

import type { Context } from "../../context.ts";
import { podTemplate } from "../../describe/pods.ts";
import { describeUnaligned } from "../../describe/writer.ts";
import { CtlError } from "../../errors.ts";
import type { ObjectTarget } from "../../input/targets.ts";
import { copy, ensure } from "../../json.ts";
import { tabbed } from "../../output/tabbed.ts";
import { noMethod, revisionsOf, templateOf } from "./revisions.ts";

export async function historyText(context: Context, target: ObjectTarget, revision: bigint): Promise<string> {
  const all = await revisionsOf(
    context,
    target,
    noMethod("error retrieving history for", "history viewer", target.resource),
  );
  if (all.length === 0) return "No rollout history found.";
  if (revision > 0) {
    const found = all.find((one) => one.number === revision);
    if (found === undefined) throw new CtlError("unable to find the specified revision");
    const template = copy(templateOf(found));
    if (found.cause !== "<none>" && target.resource.kind === "Deployment")
      ensure(template, "metadata", "annotations")[(await context.vocabulary()).word("orch.io/change-cause")] =
        found.cause;
    return describeUnaligned([podTemplate], template, context);
  }
  const rows = all.map((one) => `${one.number}\t${one.cause}`);
  return `${tabbed(["REVISION\tCHANGE-CAUSE", ...rows].join("\n"))}\n`;
}
