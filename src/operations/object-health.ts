/** How an object is, by what it says about itself. */

import { listAt, objectAt, textAt } from "../machinery/json/json-value.ts";
import { conditionHealth, healthStates, isTrouble, type StatedHealth, wordHealth } from "./health.ts";
import { podHealth } from "./pod-health.ts";

type Json = Readonly<Record<string, unknown>>;
type Judge = (object: Json) => StatedHealth | undefined;

/** `id`: the resource and its neutral group, "deployments.apps", "pods". Undefined: the object does not say. */
export function objectHealth(id: string, object: Json): StatedHealth | undefined {
  const metadata = objectAt(object, "metadata");
  if (textAt(metadata, "deletionTimestamp") !== "") return said("progressing", "Terminating", "it is being deleted");
  const judge = judges[id];
  return judge === undefined ? generic(object) : judge(object);
}

const said = (state: StatedHealth["state"], word: string, why = ""): StatedHealth => ({ state, word, why });

const conditionOf = (object: Json, type: string): Json | undefined =>
  listAt(objectAt(object, "status"), "conditions").find((one) => textAt(one, "type") === type);

const reasonOf = (condition: Json): string =>
  textAt(condition, "message") || textAt(condition, "reason") || textAt(condition, "type");

const numberAt = (object: Json | undefined, key: string, otherwise = 0): number => {
  const value = object?.[key];
  return typeof value === "number" ? value : otherwise;
};

/** What is wanted and what is ready; a condition that reports trouble says why it cannot be. */
function counted(object: Json, { ready, wanted }: { readonly ready: number; readonly wanted: number }): StatedHealth {
  const status = objectAt(object, "status");
  const word = `${ready} of ${wanted} ready`;
  const trouble = listAt(status, "conditions").filter((one) => isTrouble(textAt(one, "type"), textAt(one, "status")));
  const stuck = trouble.find((one) => /^(Progressing|ReplicaFailure)$/.test(textAt(one, "type")));
  if (stuck !== undefined) return said("failing", word, reasonOf(stuck));
  if (wanted === 0) return said("healthy", "Scaled to 0");
  if (ready >= wanted) return said("healthy", word);
  const why = trouble[0] === undefined ? "" : reasonOf(trouble[0]);
  return said(ready === 0 && trouble.length > 0 ? "failing" : "progressing", word, why);
}

const workload: Judge = (object) => {
  const [spec, status] = [objectAt(object, "spec"), objectAt(object, "status")];
  return counted(object, { ready: numberAt(status, "readyReplicas"), wanted: numberAt(spec, "replicas", 1) });
};

const deployment: Judge = (object) => {
  const health = workload(object);
  if (objectAt(object, "spec")?.["paused"] !== true || health?.state === "failing") return health;
  return said(health?.state ?? "unknown", "Paused", "it does not roll out changes");
};

const daemonSet: Judge = (object) => {
  const status = objectAt(object, "status");
  return counted(object, {
    ready: numberAt(status, "numberReady"),
    wanted: numberAt(status, "desiredNumberScheduled"),
  });
};

const job: Judge = (object) => {
  const [spec, status] = [objectAt(object, "spec"), objectAt(object, "status")];
  const failed = conditionOf(object, "Failed");
  if (textAt(failed, "status") === "True" && failed !== undefined) return said("failing", "Failed", reasonOf(failed));
  if (textAt(conditionOf(object, "Complete"), "status") === "True") return said("healthy", "Complete");
  if (spec?.["suspend"] === true) return said("progressing", "Suspended");
  return said("progressing", "Running", `${numberAt(status, "active")} pods run`);
};

const cronJob: Judge = (object) =>
  objectAt(object, "spec")?.["suspend"] === true ? said("progressing", "Suspended") : said("healthy", "Scheduled");

const node: Judge = (object) => {
  const ready = conditionOf(object, "Ready");
  const status = textAt(ready, "status");
  if (ready === undefined || status === "Unknown")
    return said("unknown", "Unknown", ready === undefined ? "it has not reported yet" : reasonOf(ready));
  if (status !== "True") return said("failing", "NotReady", reasonOf(ready));
  const trouble = listAt(objectAt(object, "status"), "conditions").find((one) =>
    isTrouble(textAt(one, "type"), textAt(one, "status")),
  );
  if (trouble !== undefined) return said("failing", textAt(trouble, "type"), reasonOf(trouble));
  if (objectAt(object, "spec")?.["unschedulable"] === true)
    return said("progressing", "Cordoned", "it gets no new pods");
  return said("healthy", "Ready");
};

const phase: Judge = (object) => {
  const word = textAt(objectAt(object, "status"), "phase");
  const why = word === "Lost" ? "its volume is lost" : textAt(objectAt(object, "status"), "message");
  return word === "" ? undefined : said(wordHealth(word) ?? "unknown", word, why);
};

/** The conditions that say that all is well, before those that say that one step was made. */
const conclusive: readonly string[] = ["Ready", "Available", "Established"];

const generic: Judge = (object) => {
  const conditions = listAt(objectAt(object, "status"), "conditions");
  const judged = conditions.map((one) => ({
    one,
    state: conditionHealth(textAt(one, "type"), textAt(one, "status")),
  }));
  for (const state of healthStates) {
    const such = judged.filter((each) => each.state === state).map(({ one }) => one);
    const [found] = such;
    if (found === undefined) continue;
    const types = such.map((one) => textAt(one, "type"));
    if (state === "healthy") return said(state, conclusive.find((type) => types.includes(type)) ?? types[0] ?? "");
    const [type, reason] = [textAt(found, "type"), textAt(found, "reason")];
    return said(state, reason || `${type} is ${textAt(found, "status")}`, reasonOf(found));
  }
  return phase(object);
};

const judges: Readonly<Record<string, Judge>> = {
  pods: podHealth,
  nodes: node,
  "deployments.apps": deployment,
  "replicasets.apps": workload,
  "statefulsets.apps": workload,
  replicationcontrollers: workload,
  "daemonsets.apps": daemonSet,
  "jobs.batch": job,
  "cronjobs.batch": cronJob,
  persistentvolumeclaims: phase,
  persistentvolumes: phase,
  namespaces: phase,
};
