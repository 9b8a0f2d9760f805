/** Changes of a history as lines. */

import { humanDuration } from "../../machinery/table/human-duration.ts";
import type { Context } from "../context.ts";
import { fieldLines, numberOf, objectText } from "../input/causes.ts";
import { type Json, text } from "../json.ts";

/** "create", "update (scale)". */
export function whatOf(change: Json): string {
  const subresource = text(change, "subresource");
  return subresource === "" ? text(change, "operation") : `${text(change, "operation")} (${subresource})`;
}

/** "jane", "jane (root)": root acted as her. */
export function byOf(change: Json): string {
  const impersonator = text(change, "impersonator");
  return impersonator === "" ? text(change, "user") : `${text(change, "user")} (${impersonator})`;
}

export const becauseOf = (change: Json): string =>
  text(change, "cause") === "" ? "" : `${text(change, "cause")}${change["guessed"] === true ? " ?" : ""}`;

export function ageOf(context: Context, change: Json): string {
  return humanDuration(context.environment.clock.now() - Date.parse(text(change, "metadata", "creationTimestamp")));
}

/** "4711  5m  jane  update deployments/web  spec.replicas: 3 -> 0". */
export function changeLine(context: Context, change: Json, fieldsMax = 2): string {
  const fields = text(change, "operation") === "update" ? fieldLines(change, fieldsMax).join(", ") : "";
  const start = `${numberOf(change)}  ${ageOf(context, change)} ago  ${byOf(change)}  ${whatOf(change)} ${objectText(change)}`;
  return fields === "" ? start : `${start}  ${fields}`;
}
