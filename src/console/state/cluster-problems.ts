/** What is wrong in a cluster, by cause: objects of one owner with the same trouble are one line. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { cellHealth, type HealthState, healthStates } from "../../operations/health.ts";
import { objectHealth } from "../../operations/object-health.ts";
import type { ClusterObjects } from "../server/cluster.ts";
import { type Json, part, parts, text } from "../server/json.ts";
import type { Column, Row } from "../server/tables.ts";
import { groupedBy } from "./grouped.ts";

interface Affected {
  readonly name: string;
  readonly namespace: string;
}

export interface ProblemGroup {
  readonly key: string;
  readonly state: HealthState;
  /** "CrashLoopBackOff", "0 of 2 ready". */
  readonly word: string;
  /** "": not known yet. */
  readonly why: string;
  readonly resource: DiscoveredResource;
  /** What they belong to: "checkout"; "": to nothing. */
  readonly owner: string;
  readonly namespace: string;
  readonly objects: readonly Affected[];
}

/** How long a pod may take to be ready before it is a problem. */
const patienceMs = 30_000;

interface Trouble {
  readonly resource: DiscoveredResource;
  readonly object: Affected;
  readonly owner: string;
  readonly state: HealthState;
  readonly word: string;
  readonly why: string;
}

export interface PodRows {
  readonly resource: DiscoveredResource;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

export function problemGroups(cluster: ClusterObjects, pods: PodRows | undefined, nowMs: number): ProblemGroup[] {
  const ofPods = pods === undefined ? [] : podTroubles(pods, nowMs);
  // Pods tell more than the workload whose pods they are.
  const told = new Set(ofPods.map(({ object, owner }) => `${object.namespace}/${owner}`));
  const ofOthers = [...cluster].flatMap(([id, { resource, objects }]) =>
    objects.flatMap((object) => {
      const found = troubleOf(id, resource, object, cluster, nowMs);
      if (found === undefined || (found.owner !== "" && told.has(`${found.object.namespace}/${found.owner}`)))
        return [];
      return [found];
    }),
  );
  const groups = groupedBy([...ofPods, ...ofOthers], keyOf);
  return [...groups]
    .map(([key, all]) => groupOf(key, all))
    .sort(
      (a, b) =>
        healthStates.indexOf(a.state) - healthStates.indexOf(b.state) ||
        rankOf(a) - rankOf(b) ||
        b.objects.length - a.objects.length ||
        a.key.localeCompare(b.key),
    );
}

/** What carries others comes first. */
const rankOf = ({ resource }: ProblemGroup): number => {
  const at = ["nodes", "apiservices", "customresourcedefinitions"].indexOf(resource.resource);
  return at < 0 ? 9 : at;
};

const keyOf = ({ resource, object, owner, word }: Trouble): string =>
  owner === ""
    ? `${resource.resource}.${resource.group} ${object.namespace} ${word}`
    : `${resource.resource} ${object.namespace}/${owner} ${similar(word)}`;

/** One cause that shows in two words in turn. */
const similar = (word: string): string =>
  word.replace(/^(ErrImagePull)$/, "ImagePullBackOff").replace(/^(Error|OOMKilled)$/, "CrashLoopBackOff");

function groupOf(key: string, all: readonly Trouble[]): ProblemGroup {
  const [first] = all as [Trouble, ...Trouble[]]; // no group is empty
  const loudest = all.find(({ word }) => word === similar(word)) ?? first;
  return {
    key,
    state: first.state,
    word: loudest.word,
    why: all.find(({ why }) => why !== "")?.why ?? "",
    resource: first.resource,
    owner: first.owner,
    namespace: first.object.namespace,
    objects: all.map(({ object }) => object),
  };
}

function podTroubles({ resource, columns, rows }: PodRows, nowMs: number): Trouble[] {
  const at = (name: string) => columns.findIndex((column) => column.name === name);
  const [status, ready, restarts] = [at("Status"), at("Ready"), at("Restarts")];
  return rows.flatMap((row) => {
    const word = row.cells[status] ?? "";
    const said = cellHealth("Status", word);
    const isReady = cellHealth("Ready", row.cells[ready] ?? "") !== "progressing";
    const isOld = nowMs - row.createdMs > patienceMs;
    const object = { name: row.name, namespace: row.namespace };
    const trouble = (state: HealthState, shown: string): Trouble[] => [
      { resource, object, owner: row.owner, state, word: shown, why: "" },
    ];
    if (said === "failing" || said === "unknown") return trouble(said, word);
    if (word === "Running" && !isReady && isOld) {
      // Between two crashes a container runs.
      return Number.parseInt(row.cells[restarts] ?? "0", 10) > 1
        ? trouble("failing", "CrashLoopBackOff")
        : trouble("progressing", "Not ready");
    }
    return said === "progressing" && isOld ? trouble(word === "Pending" ? "failing" : "progressing", word) : [];
  });
}

function troubleOf(
  id: string,
  resource: DiscoveredResource,
  object: Json,
  cluster: ClusterObjects,
  nowMs: number,
): Trouble | undefined {
  const [name, namespace] = [text(object, "metadata", "name"), text(object, "metadata", "namespace")];
  const isWorkload = resource.group === "apps" || resource.group === "batch";
  const base = { resource, object: { name, namespace }, owner: isWorkload ? name : "" };
  if (id.includes("webhookconfigurations")) {
    const why = webhookTrouble(object, cluster);
    return why === undefined ? undefined : { ...base, state: "failing", word: "Cannot be called", why };
  }
  if (id === "resourcequotas") return undefined;
  const health = objectHealth(id, object);
  const isOld = nowMs - (Date.parse(text(object, "metadata", "creationTimestamp")) || 0) > patienceMs;
  if (health === undefined || health.state === "healthy") return undefined;
  if (health.state === "progressing" && (!isOld || /^(Running|Suspended|Cordoned|Paused)$/.test(health.word)))
    return undefined;
  return { ...base, state: health.state, word: health.word, why: health.why };
}

/** A webhook in a namespace that is gone is called for nothing. */
function webhookTrouble(object: Json, cluster: ClusterObjects): string | undefined {
  const namespaces = cluster.get("namespaces")?.objects.map((one) => text(one, "metadata", "name"));
  if (namespaces === undefined) return undefined;
  for (const webhook of parts(object, "webhooks")) {
    const namespace = text(part(webhook, "clientConfig", "service"), "namespace");
    if (namespace !== "" && !namespaces.includes(namespace))
      return `${text(webhook, "name")} calls a service in the namespace ${namespace}, which does not exist`;
  }
  return undefined;
}
