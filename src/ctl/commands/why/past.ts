/** What a history tells about trouble: which changes led to an object, and which ones around it may be why. */

import type { DiscoveredResource } from "../../../client/contract.ts";
import type { Context } from "../../context.ts";
import { causesOf, isByPerson, numberOf, objectText } from "../../input/causes.ts";
import { findServed } from "../../input/lookups.ts";
import { aboutObject } from "../../input/past.ts";
import { type Json, list, nameOf, text } from "../../json.ts";
import { changeLine } from "../../output/past.ts";
import { changes, findSuspects, lostRights, suspectLines } from "./suspects.ts";

/** How far back changes may be why. */
const recentMs = 3_600_000;
/** How many owners of owners are looked at. */
const ownersDepthMax = 5;

const keepsHistory = async (context: Context): Promise<boolean> =>
  (await context.discovery()).inGroup("changes", "history.orch.io") !== undefined;

/** `trouble`: what is wrong with the object. Empty: the server keeps no history, or nothing that a person changed lately has to do with it. */
export async function pastLines(
  context: Context,
  resource: DiscoveredResource,
  object: Json,
  trouble: readonly string[],
): Promise<string[]> {
  if (!(await keepsHistory(context))) return [];
  const since = sinceRecently(context);
  const about = aboutObject(resource, nameOf(object));
  const ownChanges = await changes(context, text(object, "metadata", "namespace"), [...about, since]);
  const newest = ownChanges.find((change) => text(change, "subresource") !== "status" && text(change, "cause") !== "");
  const chain = newest === undefined ? [] : await causesOf(context, newest);
  const lines: string[] = [];
  if (newest !== undefined && chain.length > 0) {
    lines.push("how it came about:");
    for (const change of [newest, ...chain]) lines.push(`  ${changeLine(context, change)}`);
  }
  const asked = { resource, object, chain, trouble };
  return [...lines, ...suspectLines(context, asked, await findSuspects(context, asked, { ownChanges, since }))];
}

/** What people changed lately in the rights of a namespace and of all, where a request is denied. */
export async function lostRightLines(context: Context, namespace: string): Promise<string[]> {
  if (!(await keepsHistory(context))) return [];
  const lines = await lostRights(context, namespace, sinceRecently(context));
  return lines.length === 0 ? [] : ["changed lately, and may be why:", ...lines];
}

const sinceRecently = (context: Context): string =>
  `since=${new Date(context.environment.clock.now() - recentMs).toISOString()}`;

/** Who deleted an object that is not there, and what led to it. Empty: no delete is kept. */
export async function deletedLines(
  context: Context,
  resource: DiscoveredResource,
  namespace: string,
  name: string,
): Promise<string[]> {
  if (!(await keepsHistory(context))) return [];
  const [gone] = await changes(context, namespace, [...aboutObject(resource, name), "operation=delete"]);
  if (gone === undefined) return [];
  const chain = await causesOf(context, gone);
  const asked = chain.length > 0 ? [] : await deletionOf(context, resource, gone, namespace);
  const isExplained = chain.length > 0 || asked.length > 0 || isByPerson(gone);
  const owners = isExplained ? [] : await deletedOwners(context, gone, namespace);
  const first = owners.at(-1);
  const undo = (change: Json) => `"${context.program} undo ${numberOf(change)}"`;
  return [
    `${objectText(gone)} was deleted:`,
    ...[gone, ...asked, ...chain, ...owners].map((change) => `  ${changeLine(context, change)}`),
    // A namespace alone would be empty.
    isNamespace(resource)
      ? `"${context.program} undelete namespace/${name}" creates it again, with what was in it`
      : first === undefined
        ? `${undo(gone)} creates it again`
        : `it went with what owned it: ${undo(first)} creates ${objectText(first)} again, and then ${undo(gone)} this one`,
  ];
}

/** The request of a person to delete an object that something else had to end first: a node its containers, the server what it held. */
async function deletionOf(
  context: Context,
  resource: DiscoveredResource,
  gone: Json,
  namespace: string,
): Promise<Json[]> {
  if (isByPerson(gone)) return [];
  const about = [...aboutObject(resource, text(gone, "object", "name")), "operation=update", "verb=delete"];
  const asked = (await changes(context, namespace, about)).find(
    (change) => isByPerson(change) && text(change, "object", "uid") === text(gone, "object", "uid"),
  );
  return asked === undefined ? [] : [asked];
}

/** What owned an object and was deleted, and what owned that: the garbage collector deletes what is left over. */
async function deletedOwners(context: Context, gone: Json, namespace: string, depth = 0): Promise<Json[]> {
  if (depth === ownersDepthMax) return [];
  const discovery = await context.discovery();
  for (const owner of list(gone, "object", "owners")) {
    const resource = discovery.find(text(owner, "kind").toLowerCase());
    if (resource === undefined) continue;
    const about = [...aboutObject(resource, text(owner, "name")), "operation=delete"];
    const found = await changes(context, resource.namespaced ? namespace : "", about);
    const deleted = found.find((change) => text(change, "object", "uid") === text(owner, "uid"));
    if (deleted !== undefined) return [deleted, ...(await deletedOwners(context, deleted, namespace, depth + 1))];
  }
  return [];
}

const isNamespace = ({ group, resource }: DiscoveredResource): boolean => group === "" && resource === "namespaces";

/** The newest change by a person of anything that the given words name: for what the server no longer serves. */
export async function servedNoMore(context: Context, word: string): Promise<string[]> {
  const definitions = await findServed(context, (served) => served.find("customresourcedefinitions"));
  if (definitions === undefined || !(await keepsHistory(context))) return [];
  const gone = await changes(context, "", [...aboutObject(definitions, "").slice(0, 2), "operation=delete"]);
  const found = gone.find((change) => nameOfDefinition(change).split(".")[0] === word.split(".")[0]);
  if (found === undefined) return [];
  return [
    `${objectText(found)} was deleted:`,
    ...[found, ...(await deletionOf(context, definitions, found, ""))].map(
      (change) => `  ${changeLine(context, change)}`,
    ),
    `"${context.program} undo ${numberOf(found)}" creates it again, and "${context.program} undelete ${word} --since=1h" its objects`,
  ];
}

const nameOfDefinition = (change: Json): string => text(change, "object", "name");
