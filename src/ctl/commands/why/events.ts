/** The Events about an object that warn of something. */

import type { Context } from "../../context.ts";
import { findResource } from "../../input/lookups.ts";
import { type Json, nameOf, namespaceOf, text } from "../../json.ts";
import { since } from "./explanation.ts";

/** How many warnings are shown, the latest of each reason. */
export const warningsMax = 3;

/** How many Events about one object are read. */
export const eventsReadMax = 500;

/** `isTold`: what the other lines say already. A user who may not read Events gets the other lines all the same. */
export async function warningLines(
  context: Context,
  about: Json,
  isTold: (event: Json) => boolean = () => false,
): Promise<string[]> {
  const latest = new Map<string, Json>();
  for (const event of await eventsOf(context, about)) {
    if (event["type"] === "Normal" && !/^Failed/.test(text(event, "reason"))) continue;
    if (text(event, "message") === "" || isTold(event)) continue;
    const reason = text(event, "reason");
    const known = latest.get(reason);
    if (known === undefined || timeOf(known) < timeOf(event)) latest.set(reason, event);
  }
  return [...latest.values()]
    .sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))
    .slice(0, warningsMax)
    .map((event) => {
      const ago = since(context, timeOf(event));
      return `${text(event, "reason")}${ago === "" ? "" : ` ${ago} ago`}: ${text(event, "message").trim()}`;
    });
}

const timeOf = (event: Json): string =>
  text(event, "series", "lastObservedTime") || text(event, "lastTimestamp") || text(event, "eventTime");

async function eventsOf(context: Context, about: Json): Promise<Json[]> {
  const fieldSelector = `involvedObject.uid=${text(about, "metadata", "uid")},involvedObject.name=${nameOf(about)}`;
  try {
    const events = context.at(await findResource(context, "events"));
    const { items } = await events.list({ namespace: namespaceOf(about), fieldSelector, limit: eventsReadMax });
    return items;
  } catch {
    return [];
  }
}
