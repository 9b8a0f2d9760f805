/** What led to a change: the changes before it, back to the request of a person. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Context } from "../context.ts";
import { type Json, list, text } from "../json.ts";
import { findServed } from "./lookups.ts";
import { aboutObject, findChanges } from "./past.ts";

/** A chain that is longer has a circle. */
const causesMax = 8;
/** How many changes of an object are looked at for the one that made a controller act. */
const lookedAtMax = 50;

export const numberOf = (change: Json): string => text(change, "metadata", "name");

/** Of "4711" and "4711-2". */
export const revisionOf = (change: Json): bigint => BigInt(numberOf(change).split("-")[0] || 0);

/**
 * Controllers, nodes and the server itself; a program with an account of its own counts as a person who uses it, unless it says what it
 * worked on. A guess of the server says nothing: an owner is the cause of what its own controller does.
 */
const isMachine = (change: Json): boolean =>
  (text(change, "cause") !== "" && change["guessed"] !== true) ||
  /^system:(serviceaccount:(kube|orch)-system:|node:|kube-|orch-|apiserver$)/.test(text(change, "user"));

export const isByPerson = (change: Json): boolean => !isMachine(change);

/** The nearest first; none: nothing says what it was, or it is a request of a person. */
export async function causesOf(context: Context, change: Json): Promise<Json[]> {
  const found: Json[] = [];
  const seen = new Set([numberOf(change)]);
  for (let at: Json | undefined = change; found.length < causesMax; ) {
    at = await causeOf(context, at);
    if (at === undefined || seen.has(numberOf(at))) break;
    seen.add(numberOf(at));
    found.push(at);
    if (isByPerson(at)) break;
  }
  return found;
}

/** The newest change before this one of the object that a controller worked on, unless the controller made it itself. */
async function causeOf(context: Context, change: Json): Promise<Json | undefined> {
  const cause = text(change, "cause");
  const at = cause.indexOf(" ");
  if (at < 0) return undefined;
  const [controller, key] = [cause.slice(0, at), cause.slice(at + 1)];
  const slash = key.indexOf("/");
  const [namespace, name] = [key.slice(0, Math.max(0, slash)), key.slice(slash + 1)];
  const resource = await resourceOf(context, controller, change);
  if (resource === undefined || name === "") return undefined;
  const before = revisionOf(change);
  const until = text(change, "metadata", "creationTimestamp");
  const about = [...aboutObject(resource, name), ...(until === "" ? [] : [`until=${nextSecond(until)}`])];
  const changes = await findChanges(context, resource.namespaced ? namespace : "", about, lookedAtMax);
  return changes.find(
    (one) =>
      revisionOf(one) < before &&
      text(one, "subresource") !== "status" &&
      !text(one, "cause").startsWith(`${controller} `),
  );
}

/** A time of a change is cut to seconds. */
const nextSecond = (time: string): string => new Date(Date.parse(time) + 1_000).toISOString();

/** What the controller works on: the kind that it is named after, or else the object that it wrote. */
async function resourceOf(context: Context, controller: string, change: Json): Promise<DiscoveredResource | undefined> {
  const word = controller.replace(/-controller$/, "");
  const found = await findServed(context, (served) => served.find(other[word] ?? word));
  if (found !== undefined) return found;
  const resource = text(change, "object", "resource");
  const group = text(change, "object", "group");
  return findServed(context, (served) => served.inGroup(resource, group));
}

/** Controllers that are not called as their kind is. */
const other: Readonly<Record<string, string>> = {
  horizontalpodautoscaling: "horizontalpodautoscaler",
  endpoint_slice: "service",
  endpoint: "service",
  ttl_jobs_to_delete: "job",
  disruption: "poddisruptionbudget",
};

/** What the server and controllers write along with what was asked for. */
const incidental = /^(metadata\.(generation|annotations)\b|status\b)/;

/** "spec.replicas: 3 -> 0", at most so many, and first what was asked for. */
export function fieldLines(change: Json, most: number): string[] {
  const isIncidental = (field: Json) => Number(incidental.test(text(field, "path")));
  const fields = list(change, "fields").toSorted((one, other) => isIncidental(one) - isIncidental(other));
  const shown = fields.slice(0, most).map((field) => {
    const [old, now] = [text(field, "old") || "-", text(field, "new") || "-"];
    const path = text(field, "path");
    return path === "" ? "" : `${path}: ${short(old)} -> ${short(now)}`;
  });
  const more = fields.length - shown.length;
  return [...shown.filter((line) => line !== ""), ...(more > 0 ? [`and ${more} more`] : [])];
}

const short = (value: string): string => (value.length > 80 ? `${value.slice(0, 80)}…` : value);

export const objectText = (change: Json): string =>
  `${text(change, "object", "resource")}/${text(change, "object", "name")}`;
