/** Changes by people that may be why an object is in trouble, the likeliest first. */

import type { DiscoveredResource } from "../../../client/contract.ts";
import { hasReason } from "../../../client/requests/refusals.ts";
import { usesOf } from "../../../operations/uses.ts";
import type { Context } from "../../context.ts";
import { isByPerson, numberOf, objectText, revisionOf } from "../../input/causes.ts";
import { aboutObject, findChanges } from "../../input/past.ts";
import { type Json, list, nameOf, object, text } from "../../json.ts";
import { changeLine } from "../../output/past.ts";

/** How many are shown of those to the object and what it uses, how many of those that concern others too, and how many are looked at. */
const closeMax = 5;
const wideMax = 3;
/** An object that somebody tries to mend is changed again and again, and must not hide the others. */
const sameObjectMax = 3;
const lookedAtMax = 500;

/** Requests that say what made them write are those of controllers: thousands, where a namespace is busy. */
const byPeople = "cause=";

const rights = ["roles", "rolebindings"];
const wideRights = ["clusterroles", "clusterrolebindings"];
/** Kinds that concern other objects in a namespace. */
const wide = new Set(["resourcequotas", "limitranges", "networkpolicies", "poddisruptionbudgets", ...rights]);
/** Those that concern every object. */
const everywhere = [
  "namespaces",
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
];
const forPods = ["nodes", "priorityclasses", "runtimeclasses", ...wideRights];
const forClaims = ["storageclasses", "persistentvolumes"];

/** What finds pods by labels: those of all kinds here, and what makes the pods. */
const workloads = new Set(["deployments", "replicasets", "statefulsets", "daemonsets", "replicationcontrollers"]);
const servesPods = new Set(["services", "ingresses"]);
const concernsPods = new Set([...workloads, ...servesPods, "pods", "jobs", "cronjobs", "horizontalpodautoscalers"]);

/** Who creates one of these takes nothing from others. */
const harmlessWhenNew = new Set([
  ...["nodes", "namespaces", "priorityclasses", "runtimeclasses", "ingressclasses", "persistentvolumes"],
  ...["storageclasses", "apiservices", ...rights, ...wideRights],
]);

/** Who asks why one of these is in trouble is helped by its end. */
const restricting =
  /^((validating|mutating)(webhookconfigurations|admissionpolic)|resourcequotas$|limitranges$|networkpolicies$)/;

/** `chain`: what led to the object as it is; `trouble`: what is said to be wrong with it. */
interface Asked {
  readonly resource: DiscoveredResource;
  readonly object: Json;
  readonly chain: readonly Json[];
  readonly trouble: readonly string[];
}

/** First those of objects that are named in what is wrong, and otherwise the newest first. */
export async function findSuspects(
  context: Context,
  asked: Asked,
  { ownChanges, since }: { readonly ownChanges: readonly Json[]; readonly since: string },
): Promise<Json[]> {
  const namespace = text(asked.object, "metadata", "namespace");
  const near = namespace === "" ? [] : await changes(context, namespace, [since, byPeople]);
  const related = relatedTo(asked);
  const isClose = (change: Json) => related.has(objectText(change)) || movesPods(change, asked.resource.resource);
  const close = [...ownChanges, ...(await hookServiceChanges(context, asked.object, since)), ...near.filter(isClose)];
  const others = [
    ...near.filter((change) => wide.has(text(change, "object", "resource"))),
    ...(await wideChanges(context, asked, since)),
  ];
  const all = [...close, ...others];
  const named = newestOf(
    [...all, ...near].filter((change) => isNamed(change, asked)),
    closeMax,
  );
  const rest = all.filter((change) => !named.includes(change));
  const found = [
    ...newestOf(rest.filter(isClose), closeMax - Math.min(named.length, wideMax)),
    ...newestOf(
      rest.filter((change) => !isClose(change) && !isHarmless(change)),
      wideMax,
    ),
  ].sort(newestFirst);
  return [...named, ...found];
}

/** And how to take the first of them back. */
export function suspectLines(context: Context, asked: Asked, suspects: readonly Json[]): string[] {
  if (suspects.length === 0) return [];
  const isInTrouble = asked.trouble.length > 0;
  const name = `${asked.resource.resource}/${nameOf(asked.object)}`;
  // Undoing the creation of the object would delete it, which does not help who asks about it.
  const isMeant = (change: Json) =>
    objectText(change) !== name ||
    text(change, "operation") !== "create" ||
    (isInTrouble && restricting.test(asked.resource.resource));
  const takenBack = suspects.find(isMeant);
  return [
    isInTrouble ? "changed lately, and may be why:" : "changed lately:",
    ...suspects.map((change) => `  ${changeLine(context, change)}`),
    ...(takenBack === undefined
      ? []
      : [
          `"${context.program} undo ${numberOf(takenBack)}" takes ${takenBack === suspects[0] ? "the first of them" : "that one"} back`,
        ]),
  ];
}

/** What people took from the rights of a namespace, and of all. */
export async function lostRights(context: Context, namespace: string, since: string): Promise<string[]> {
  const found = [
    ...(await ofKinds(context, wideRights, "", since)),
    ...(namespace === "" ? [] : await ofKinds(context, rights, namespace, since)),
  ];
  const taken = newestOf(
    found.filter((change) => text(change, "operation") !== "create"),
    closeMax,
  );
  const [newest] = taken;
  if (newest === undefined) return [];
  return [
    ...taken.map((change) => `  ${changeLine(context, change)}`),
    `"${context.program} undo ${numberOf(newest)}" takes the first of them back`,
  ];
}

/** Those by people, each once. */
function newestOf(found: readonly Json[], most: number): Json[] {
  const count = new Map<string, number>();
  const isWanted = (change: Json) => {
    const before = count.get(objectText(change)) ?? 0;
    count.set(objectText(change), before + 1);
    return before < sameObjectMax;
  };
  return [...new Map(found.filter(isByPerson).map((change) => [numberOf(change), change])).values()]
    .sort(newestFirst)
    .filter(isWanted)
    .slice(0, most);
}

const newestFirst = (one: Json, other: Json): number => Number(revisionOf(other) - revisionOf(one));

/** Definitions concern the objects of their own kind: those are close. */
const isHarmless = (change: Json): boolean =>
  text(change, "object", "resource") === "customresourcedefinitions" ||
  (text(change, "operation") === "create" && harmlessWhenNew.has(text(change, "object", "resource")));

/** Whether what is wrong names the object of a change, which is another one. */
function isNamed(change: Json, { resource, object: asked, trouble }: Asked): boolean {
  const [changed, name] = [text(change, "object", "resource"), text(change, "object", "name")];
  if (name === "" || changed === "namespaces" || changed === "pods") return false;
  if (changed === resource.resource && name === nameOf(asked)) return false;
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const whole = new RegExp(`(?<![\\w.-])${escaped}(?![\\w-]|\\.\\w)`);
  return trouble.some((line) => whole.test(line));
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
function relatedTo({ resource, object: asked, chain }: Asked): ReadonlySet<string> {
  const names = new Set([`${resource.resource}/${nameOf(asked)}`, ...chain.map(objectText)]);
  for (const used of usesOf(asked)) names.add(`${used.resource}/${used.name}`);
  for (const backend of backendsOf(asked)) names.add(`services/${backend}`);
  for (const tls of list(asked, "spec", "tls")) names.add(`secrets/${text(tls, "secretName")}`);
  const target = text(asked, "spec", "scaleTargetRef", "kind").toLowerCase();
  if (target !== "") names.add(`${target}s/${text(asked, "spec", "scaleTargetRef", "name")}`);
  const governing = text(asked, "spec", "serviceName");
  if (governing !== "") names.add(`services/${governing}`);
  for (const owner of list(asked, "metadata", "ownerReferences"))
    names.add(`${text(owner, "kind").toLowerCase()}s/${text(owner, "name")}`);
  names.add(`customresourcedefinitions/${resource.resource}.${resource.group}`);
  return names;
}

/** The services that an Ingress sends to. */
function backendsOf(ingress: Json): string[] {
  const paths = list(ingress, "spec", "rules").flatMap((rule) => list(rule, "http", "paths"));
  const names = paths.map((path) => text(path, "backend", "service", "name"));
  return [...names, text(ingress, "spec", "defaultBackend", "service", "name")].filter((name) => name !== "");
}

/** Of the services that webhooks of the object call, which are in other namespaces. */
async function hookServiceChanges(context: Context, asked: Json, since: string): Promise<Json[]> {
  const services = (await context.discovery()).find("services");
  if (services === undefined) return [];
  const found: Json[] = [];
  for (const hook of list(asked, "webhooks")) {
    const { namespace, name } = object(hook, "clientConfig", "service");
    if (typeof namespace === "string" && typeof name === "string")
      found.push(...(await changes(context, namespace, [...aboutObject(services, name), since, byPeople])));
  }
  return found;
}

/** Changes of kinds that concern every object, or every one of such a kind. */
function wideChanges(context: Context, { resource: { resource, group }, object: asked }: Asked, since: string) {
  const used = usesOf(asked).map((one) => one.resource);
  const hasClaims = used.includes("persistentvolumeclaims") || /^(statefulsets|persistentvolume.*)$/.test(resource);
  const kinds = [
    ...everywhere,
    ...(concernsPods.has(resource) ? forPods : []),
    ...(hasClaims ? forClaims : []),
    ...(resource === "ingresses" ? ["ingressclasses"] : []),
    ...(resource === "horizontalpodautoscalers" ? ["apiservices"] : []),
    ...([...rights, ...wideRights, "serviceaccounts"].includes(resource) ? wideRights : []),
    ...(group === "" ? [] : ["customresourcedefinitions"]),
  ];
  return ofKinds(context, [...new Set(kinds)], "", since);
}

async function ofKinds(
  context: Context,
  words: readonly string[],
  namespace: string,
  since: string,
): Promise<readonly Json[]> {
  const discovery = await context.discovery();
  const served = words.flatMap((word) => discovery.find(word) ?? []);
  const found = await Promise.all(
    served.map((resource) => changes(context, namespace, [...aboutObject(resource, "").slice(0, 2), since, byPeople])),
  );
  return found.flat();
}

/** None, if the user may not list them. */
export async function changes(context: Context, namespace: string, requirements: readonly string[]): Promise<Json[]> {
  return findChanges(context, namespace, requirements, lookedAtMax).catch((error: unknown) => {
    // The history may not keep the kind.
    if (hasReason(error, "Forbidden") || hasReason(error, "BadRequest")) return [];
    throw error;
  });
}
