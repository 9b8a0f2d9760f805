/** `show`: all that is known of one change, and the changes that led to it. */

import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { causesOf, fieldLines, numberOf, objectText } from "../input/causes.ts";
import { findChange } from "../input/past.ts";
import { type Json, text } from "../json.ts";
import { ageOf, becauseOf, byOf, changeLine, whatOf } from "../output/past.ts";

/** How many fields are printed; -o yaml of `get changes` has more. */
const fieldsMax = 50;

export const show = command({
  name: "show",
  summary: "Show one change: who made it and why, and each value before and after",
  usage: "CHANGE",
  description: "CHANGE is the number that `history` shows. What led to it follows, back to the request of a person.",
  examples: `ctl history deploy/web
ctl show 4711`,
  flags: {},
  async run(context: Context) {
    const [number = "", ...more] = context.args;
    if (!/^[0-9]+(-[0-9]+)?$/.test(number) || more.length > 0)
      throw new UsageError("show takes the number of one change, which history shows");
    const change = await findChange(context, number);
    if (change === undefined) throw new CtlError(`there is no change ${number}, or you may not see it`);
    for (const line of linesOf(context, change)) context.print(`${line}\n`);
    const causes = await causesOf(context, change);
    if (causes.length > 0) context.print("Because of:\n");
    for (const cause of causes) context.print(`  ${changeLine(context, cause)}\n`);
    context.print(`Undo it with: ${context.program} undo ${number}\n`);
  },
});

function linesOf(context: Context, change: Json): string[] {
  const namespace = text(change, "object", "namespace");
  const where = namespace === "" ? "" : ` in namespace ${namespace}`;
  const rows: readonly (readonly [string, string])[] = [
    ["By", byOf(change)],
    ["Program", text(change, "userAgent")],
    ["Manager", text(change, "manager")],
    ["Request", [text(change, "verb"), text(change, "requestID")].filter(Boolean).join(" ")],
    ["Cause", becauseOf(change)],
    ["Admission", text(change, "admission")],
    ["Unreadable", text(change, "unreadable")],
  ];
  const fields = fieldLines(change, fieldsMax);
  const when = `${text(change, "metadata", "creationTimestamp")} (${ageOf(context, change)} ago)`;
  return [
    `Change ${numberOf(change)}: ${whatOf(change)} of ${objectText(change)}${where} at ${when}`,
    ...rows.filter(([, value]) => value !== "").map(([name, value]) => `${`${name}:`.padEnd(12)}${value}`),
    ...(fields.length === 0 ? [] : ["Fields:", ...fields.map((line) => `  ${line}`)]),
  ];
}
