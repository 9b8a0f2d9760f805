/** Which objects need somebody's attention, by what they say about themselves. */

import { type Json, part, parts, text } from "../server/json.ts";

/** Why an object is unhealthy; undefined: it is healthy, as far as it says. */
type Check = (object: Json) => string | undefined;

const condition = (object: Json, type: string): Json =>
  parts(object, "status", "conditions").find((one) => text(one, "type") === type) ?? {};

const said = (one: Json): string => text(one, "message") || text(one, "reason") || text(one, "type");

/** Whether a condition has another status than the good one; one that is not there says nothing. */
const unless =
  (type: string, good: string): Check =>
  (object) => {
    const found = condition(object, type);
    return text(found, "type") === "" || text(found, "status") === good ? undefined : said(found);
  };

const count = (object: Json, ...path: readonly string[]): number => Number(text(object, ...path) || 0);

const replicas: Check = (object) => {
  const wanted = text(object, "spec", "replicas") === "" ? 1 : count(object, "spec", "replicas");
  const ready = count(object, "status", "readyReplicas");
  return ready < wanted ? `${ready} of ${wanted} replicas are ready` : undefined;
};

const pod: Check = (object) => {
  const phase = text(object, "status", "phase");
  if (phase === "Succeeded") return undefined;
  const waiting = parts(object, "status", "containerStatuses").map((one) => part(one, "state", "waiting"));
  const reason = waiting.map((one) => text(one, "reason")).find((one) => one !== "" && one !== "ContainerCreating");
  if (phase === "Failed") return text(object, "status", "message") || text(object, "status", "reason") || "Failed";
  if (reason !== undefined) return reason;
  return unless("PodScheduled", "True")(object) ?? (phase === "Running" ? unless("Ready", "True")(object) : undefined);
};

/** By the resource and its neutral group, and in the order in which they are shown. */
export const healthChecks: readonly { readonly resource: string; readonly isUnhealthy: Check }[] = [
  { resource: "nodes", isUnhealthy: (node) => unless("Ready", "True")(node) },
  { resource: "apiservices", isUnhealthy: unless("Available", "True") },
  { resource: "customresourcedefinitions", isUnhealthy: unless("Established", "True") },
  { resource: "deployments", isUnhealthy: replicas },
  { resource: "statefulsets", isUnhealthy: replicas },
  {
    resource: "daemonsets",
    isUnhealthy: (object) => {
      const [ready, wanted] = [
        count(object, "status", "numberReady"),
        count(object, "status", "desiredNumberScheduled"),
      ];
      return ready < wanted ? `${ready} of ${wanted} pods are ready` : undefined;
    },
  },
  {
    resource: "jobs",
    isUnhealthy: (job) =>
      text(condition(job, "Failed"), "status") === "True" ? said(condition(job, "Failed")) : undefined,
  },
  { resource: "pods", isUnhealthy: pod },
  {
    resource: "persistentvolumeclaims",
    isUnhealthy: (claim) => (text(claim, "status", "phase") === "Lost" ? "its volume is lost" : undefined),
  },
  {
    resource: "namespaces",
    isUnhealthy: (namespace) =>
      text(namespace, "metadata", "deletionTimestamp") === "" ? undefined : "it is being deleted",
  },
];
