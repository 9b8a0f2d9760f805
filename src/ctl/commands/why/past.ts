/** What a history tells about trouble: which changes led to an object, and which ones around it may be why. */

import type { DiscoveredResource } from "../../../client/contract.ts";
import { hasReason } from "../../../client/requests/refusals.ts";
import { usesOf } from "../../../operations/uses.ts";
import type { Context } from "../../context.ts";
import { causesOf, isByPerson, numberOf, objectText, revisionOf } from "../../input/causes.ts";
import { findServed } from "../../input/lookups.ts";
import { aboutObject, findChanges } from "../../input/past.ts";
import { type Json, list, nameOf, text } from "../../json.ts";
import { changeLine } from "../../output/past.ts";

/** How far back changes may be why. */
const recentMs = 3_600_000;
/** How many of them are shown, and how many are looked at. */
const shownMax = 5;
const lookedAtMax = 500;
/** How many owners of owners are looked at. */
const ownersDepthMax = 5;

/** Kinds that concern other objects in a namespace, and those that concern every one. */
const wide = new Set([
  "resourcequotas",
  "limitranges",
  "networkpolicies",
  "poddisruptionbudgets",
  "roles",
  "rolebindings",
]);
const everywhere = [
  "clusterroles",
  "clusterrolebindings",
  "nodes",
  "namespaces",
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
  "customresourcedefinitions",
  "apiservices",
  "persistentvolumes",
  "priorityclasses",
  "runtimeclasses",
  "storageclasses",
  "ingressclasses",
];

/** What finds pods by labels: those of all kinds here, and what makes the pods. */
const workloads = new Set(["deployments", "replicasets", "statefulsets", "daemonsets", "replicationcontrollers"]);
const servesPods = new Set(["services", "ingresses"]);

const keepsHistory = async (context: Context): Promise<boolean> =>
  (await context.discovery()).inGroup("changes", "history.orch.io") !== undefined;

/** Empty: the server keeps no history, or nothing that a person changed lately has to do with the object. */
export async function pastLines(
  context: Context,
  resource: DiscoveredResource,
  object: Json,
  isInTrouble: boolean,
): Promise<string[]> {
  if (!(await keepsHistory(context))) return [];
  const namespace = text(object, "metadata", "namespace");
  const since = `since=${new Date(context.environment.clock.now() - recentMs).toISOString()}`;
  const ownChanges = await changes(context, namespace, [...aboutObject(resource, nameOf(object)), since]);
  const newest = ownChanges.find((change) => text(change, "subresource") !== "status" && text(change, "cause") !== "");
  const chain = newest === undefined ? [] : await causesOf(context, newest);
  const near = namespace === "" ? [] : await changes(context, namespace, [since]);
  const related = relatedTo(resource, object, chain);
  const found = [
    ...ownChanges,
    ...near.filter(
      (change) =>
        wide.has(text(change, "object", "resource")) ||
        related.has(objectText(change)) ||
        movesPods(change, resource.resource),
    ),
    ...(await wideChanges(context, since)),
  ];
  const lines: string[] = [];
  if (newest !== undefined && chain.length > 0) {
    lines.push("how it came about:");
    for (const change of [newest, ...chain]) lines.push(`  ${changeLine(context, change)}`);
  }
  return [...lines, ...suspectLines(context, found, { isInTrouble, asked: `${resource.resource}/${nameOf(object)}` })];
}

/** Those by people, the newest first, and how to take them back. `asked`: the object in question, as objectText says it. */
function suspectLines(
  context: Context,
  found: readonly Json[],
  { isInTrouble, asked }: { isInTrouble: boolean; asked: string },
): string[] {
  const shown = [...new Map(found.filter(isByPerson).map((change) => [numberOf(change), change])).values()]
    .sort((a, b) => Number(revisionOf(b) - revisionOf(a)))
    .slice(0, shownMax);
  if (shown.length === 0) return [];
  // Undoing the creation of the object would delete it, which does not help who asks about it.
  const takenBack = shown.find((change) => objectText(change) !== asked || text(change, "operation") !== "create");
  return [
    isInTrouble ? "changed lately, and may be why:" : "changed lately:",
    ...shown.map((change) => `  ${changeLine(context, change)}`),
    ...(takenBack === undefined
      ? []
      : [
          `"${context.program} undo ${numberOf(takenBack)}" takes ${takenBack === shown[0] ? "the newest of them" : "that one"} back`,
        ]),
  ];
}

/** Whether a change may have moved pods away from what finds them by labels, or have removed what makes them. */
function movesPods(change: Json, resource: string): boolean {
  const changed = text(change, "object", "resource");
  const isOfPods = changed === "pods" || (servesPods.has(resource) && workloads.has(changed));
  if (!isOfPods || !(servesPods.has(resource) || workloads.has(resource))) return false;
  if (text(change, "operation") === "delete") return changed !== "pods";
  return list(change, "fields").some((field) => /(^|\.)(labels|selector)\b/.test(text(field, "path")));
}

/** Names of the object, of what it uses, and of what led to it: "configmaps/settings". */
function relatedTo(resource: DiscoveredResource, object: Json, chain: readonly Json[]): ReadonlySet<string> {
  const names = new Set([`${resource.resource}/${nameOf(object)}`, ...chain.map(objectText)]);
  for (const used of usesOf(object)) names.add(`${used.resource}/${used.name}`);
  for (const backend of backendsOf(object)) names.add(`services/${backend}`);
  for (const tls of list(object, "spec", "tls")) names.add(`secrets/${text(tls, "secretName")}`);
  const target = text(object, "spec", "scaleTargetRef", "kind").toLowerCase();
  if (target !== "") names.add(`${target}s/${text(object, "spec", "scaleTargetRef", "name")}`);
  for (const owner of list(object, "metadata", "ownerReferences"))
    names.add(`${text(owner, "kind").toLowerCase()}s/${text(owner, "name")}`);
  return names;
}

/** The services that an Ingress sends to. */
function backendsOf(ingress: Json): string[] {
  const paths = list(ingress, "spec", "rules").flatMap((rule) => list(rule, "http", "paths"));
  const names = paths.map((path) => text(path, "backend", "service", "name"));
  return [...names, text(ingress, "spec", "defaultBackend", "service", "name")].filter((name) => name !== "");
}

async function wideChanges(context: Context, since: string): Promise<Json[]> {
  const discovery = await context.discovery();
  const served = everywhere.flatMap((word) => discovery.find(word) ?? []);
  const found = await Promise.all(
    served.map((resource) => changes(context, "", [...aboutObject(resource, "").slice(0, 2), since])),
  );
  return found.flat();
}

/** None, if the user may not list them. */
async function changes(context: Context, namespace: string, requirements: readonly string[]): Promise<Json[]> {
  return findChanges(context, namespace, requirements, lookedAtMax).catch((error: unknown) => {
    // The history may not keep the kind.
    if (hasReason(error, "Forbidden") || hasReason(error, "BadRequest")) return [];
    throw error;
  });
}

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
  const owners = chain.length > 0 || isByPerson(gone) ? [] : await deletedOwners(context, gone, namespace);
  const first = owners.at(-1);
  const undo = (change: Json) => `"${context.program} undo ${numberOf(change)}"`;
  return [
    `${objectText(gone)} was deleted:`,
    ...[gone, ...chain, ...owners].map((change) => `  ${changeLine(context, change)}`),
    // A namespace alone would be empty.
    isNamespace(resource)
      ? `"${context.program} undelete namespace/${name}" creates it again, with what was in it`
      : first === undefined
        ? `${undo(gone)} creates it again`
        : `it went with what owned it: ${undo(first)} creates ${objectText(first)} again, and then ${undo(gone)} this one`,
  ];
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
    `  ${changeLine(context, found)}`,
    `"${context.program} undo ${numberOf(found)}" creates it again, and "${context.program} undelete ${word} --since=1h" its objects`,
  ];
}

const nameOfDefinition = (change: Json): string => text(change, "object", "name");
