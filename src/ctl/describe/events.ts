/** Events of an object in a description, oldest first. */

import { humanDuration } from "../../machinery/table/human-duration.ts";
import type { Context } from "../context.ts";
import { type Json, kindOf, nameOf, namespaceOf, number, text } from "../json.ts";
import type { DescriptionWriter } from "./writer.ts";

export async function eventsOf(context: Context, value: Json): Promise<Json[]> {
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

export function describeEvents(w: DescriptionWriter, events: readonly Json[], nowMs: number): void {
  if (events.length === 0) {
    w.field(0, "Events", "<none>");
    return;
  }
  w.flush();
  w.line(0, "Events:");
  w.line(1, "Type\tReason\tAge\tFrom\tMessage");
  w.line(1, "----\t------\t----\t----\t-------");
  for (const event of events) {
    const source = text(event, "source", "component") || text(event, "reportingComponent");
    w.line(
      1,
      [text(event, "type"), text(event, "reason"), ageOf(event, nowMs), source, text(event, "message").trim()].join(
        "\t",
      ),
    );
  }
}

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
