/** What can be done to an object beyond editing and deleting it, by what it is and how it is. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { cordonPatch, pausePatch, restartPatch, suspendPatch } from "../../operations/acts.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { type Json, part, text } from "../server/json.ts";

/** An act that is one change of the object. */
export interface Act {
  readonly name: string;
  /** What is said before it is done; "": it is done at once, because its opposite takes it back. */
  readonly question: string;
  /** A merge patch of the object. */
  readonly patch: Json;
}

interface Possible extends Pick<Act, "name" | "question"> {
  /** "deployments.apps" */
  readonly of: readonly string[];
  readonly isOffered: (object: Json) => boolean;
  readonly patch: (vocabulary: Vocabulary, nowMs: number) => Json;
}

const isTrue = (field: string) => (object: Json) => text(object, "spec", field) === "true";
const isNotTrue = (field: string) => (object: Json) => !isTrue(field)(object);

const possible: readonly Possible[] = [
  {
    name: "Restart",
    question: "Its pods are replaced by new ones, as its strategy says.",
    of: ["deployments.apps", "daemonsets.apps", "statefulsets.apps"],
    isOffered: isNotTrue("paused"),
    patch: restartPatch,
  },
  {
    name: "Pause",
    question: "",
    of: ["deployments.apps"],
    isOffered: isNotTrue("paused"),
    patch: () => pausePatch(true),
  },
  {
    name: "Resume",
    question: "",
    of: ["deployments.apps"],
    isOffered: isTrue("paused"),
    patch: () => pausePatch(false),
  },
  {
    name: "Suspend",
    question: "It starts no new jobs until it is resumed.",
    of: ["cronjobs.batch"],
    isOffered: isNotTrue("suspend"),
    patch: () => suspendPatch(true),
  },
  {
    name: "Suspend",
    question: "Its pods are deleted, and come again when it is resumed.",
    of: ["jobs.batch"],
    isOffered: (job) => isNotTrue("suspend")(job) && text(job, "status", "completionTime") === "",
    patch: () => suspendPatch(true),
  },
  {
    name: "Resume",
    question: "",
    of: ["cronjobs.batch", "jobs.batch"],
    isOffered: isTrue("suspend"),
    patch: () => suspendPatch(false),
  },
  {
    name: "Cordon",
    question: "",
    of: ["nodes"],
    isOffered: isNotTrue("unschedulable"),
    patch: () => cordonPatch(true),
  },
  {
    name: "Uncordon",
    question: "",
    of: ["nodes"],
    isOffered: isTrue("unschedulable"),
    patch: () => cordonPatch(false),
  },
];

export type NamedResource = Pick<DiscoveredResource, "group" | "resource">;

/** "deployments.apps", "pods". */
export const idOf = ({ group, resource }: NamedResource): string => (group === "" ? resource : `${resource}.${group}`);

export const actsOn = (resource: NamedResource, object: Json, vocabulary: Vocabulary, nowMs: number): readonly Act[] =>
  possible
    .filter(({ of, isOffered }) => of.includes(idOf(resource)) && isOffered(object))
    .map(({ name, question, patch }) => ({ name, question, patch: patch(vocabulary, nowMs) }));

/** All that the kind may offer, each name once. */
export const actNamesOf = (resource: NamedResource): readonly string[] => [
  ...new Set(possible.filter(({ of }) => of.includes(idOf(resource))).map(({ name }) => name)),
];

/** The job that a cron job would start now. */
export function jobOf(cronJob: Json, vocabulary: Vocabulary, cronJobVersion: string): Json {
  const template = part(cronJob, "spec", "jobTemplate");
  const [name, uid] = [text(cronJob, "metadata", "name"), text(cronJob, "metadata", "uid")];
  const annotations = {
    ...part(template, "metadata", "annotations"),
    [vocabulary.word("cronjob.orch.io/instantiate")]: "manual",
  };
  const owner = { apiVersion: cronJobVersion, kind: "CronJob", name, uid, controller: true };
  return {
    kind: "Job",
    apiVersion: "batch/v1",
    // The name of a job has at most 63 characters; the server adds five.
    metadata: {
      generateName: `${name.slice(0, 50)}-manual-`,
      labels: part(template, "metadata", "labels"),
      annotations,
      ownerReferences: [owner],
    },
    spec: part(template, "spec"),
  };
}

/** The labels of the pods that an object selects, as a selector; undefined: it selects none, or not by labels alone. */
export function podSelectorOf(resource: NamedResource, object: Json): string | undefined {
  const selector = part(object, "spec", "selector");
  const labels =
    idOf(resource) === "services" || idOf(resource) === "replicationcontrollers"
      ? selector
      : part(selector, "matchLabels");
  const expressions = selector["matchExpressions"];
  const pairs = Object.entries(labels).filter(([, value]) => typeof value === "string");
  if (!selecting.has(idOf(resource)) || pairs.length === 0) return undefined;
  if (Array.isArray(expressions) && expressions.length > 0) return undefined;
  return pairs.map(([key, value]) => `${key}=${String(value)}`).join(",");
}

/** Whether objects of the kind select pods that they have made. */
export const mayOwnPods = (resource: NamedResource): boolean =>
  selecting.has(idOf(resource)) && idOf(resource) !== "services";

const selecting: ReadonlySet<string> = new Set([
  "deployments.apps",
  "replicasets.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "services",
  "replicationcontrollers",
]);
