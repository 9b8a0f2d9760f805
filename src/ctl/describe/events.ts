/** Events of an object in a description, oldest first. */

import { humanDuration } from "../../machinery/table/human-duration.ts";
import type { Context } from "../context.ts";
import { type Json, kindOf, nameOf, namespaceOf, number, text } from "../json.ts";
import { at } from "./readers.ts";
import { align, type Rows, table, when, within } from "./row.ts";

/** The end of a description. */
export const events: Rows = [
  within(
    async (value, context) => ({ found: await eventsOf(context, value).catch(() => []) }),
    [
      when(({ found }) => Array.isArray(found) && found.length > 0, [align]),
      table(
        "Events",
        "found",
        {
          Type: "type",
          Reason: "reason",
          Age: (event, { environment }) => ageOf(event, environment.clock.now()),
          From: (event) => text(event, "source", "component") || text(event, "reportingComponent"),
          Message: at("message", (message) => message.trim()),
        },
        { none: "\t<none>", underlines: ["----", "------", "----", "----", "-------"] },
      ),
    ],
  ),
];

async function eventsOf(context: Context, value: Json): Promise<Json[]> {
  const resource = (await context.discovery()).inGroup("events", "");
  if (resource === undefined) return [];
  const uid = text(value, "metadata", "uid");
  const fields = [
    `involvedObject.name=${nameOf(value)}`,
    `involvedObject.kind=${kindOf(value)}`,
    ...(uid === "" ? [] : [`involvedObject.uid=${uid}`]),
  ];
  if (namespaceOf(value) !== "") fields.push(`involvedObject.namespace=${namespaceOf(value)}`);
  const found: Json[] = [];
  for await (const event of context.at(resource).items({
    namespace: namespaceOf(value),
    fieldSelector: fields.join(","),
  }))
    found.push(event);
  return found.sort((a, b) => (lastTime(a) < lastTime(b) ? -1 : 1));
}

const lastTime = (event: Json): string =>
  text(event, "lastTimestamp") || text(event, "eventTime") || text(event, "firstTimestamp");

/** "5m", or "5m (x3 over 10m)" for an Event that occurred several times. */
export function ageOf(event: Json, nowMs: number): string {
  const since = (iso: string) => (iso === "" ? "<unknown>" : humanDuration(nowMs - Date.parse(iso)));
  const count = number(event, "series", "count") ?? number(event, "count") ?? 1;
  const last = text(event, "series", "lastObservedTime") || lastTime(event);
  const first = text(event, "firstTimestamp") || text(event, "eventTime");
  return count > 1
    ? `${since(last)} (x${count} over ${since(first)})`
    : since(text(event, "firstTimestamp") || text(event, "eventTime"));
}
