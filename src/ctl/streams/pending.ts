/** Why a pod does not run: what is missing between its creation and its first container. */

import { isNotFound } from "../../client/requests/refusals.ts";
import type { Context } from "../context.ts";
import { findResource } from "../input/lookups.ts";
import { type Json, list, nameOf, namespaceOf, text } from "../json.ts";

/** Whether no node has been chosen for a pod that should run. */
export function isUnscheduled(pod: Json): boolean {
  const isOver = ["Succeeded", "Failed"].includes(text(pod, "status", "phase"));
  return text(pod, "spec", "nodeName") === "" && !isOver && text(pod, "metadata", "deletionTimestamp") === "";
}

/** Sentences, the cause first; none: the pod runs or has ended. */
export async function pendingReasons(context: Context, pod: Json): Promise<string[]> {
  if (!["", "Pending"].includes(text(pod, "status", "phase"))) return [];
  if (isUnscheduled(pod)) {
    // The report of a scheduler is all there is to say: one runs.
    const reported = conditionReasons(pod);
    return reported.length > 0 ? reported : [await unscheduledReason(context, pod)];
  }
  const node = text(pod, "spec", "nodeName");
  return [...conditionReasons(pod), ...containerReasons(pod), ...(await nodeReason(context, node))];
}

const conditionReasons = (pod: Json): string[] =>
  list(pod, "status", "conditions")
    .filter((one) => one["status"] === "False" && text(one, "message") !== "" && one["type"] === "PodScheduled")
    .map((one) => `${text(one, "reason")}: ${text(one, "message")}`);

const containerReasons = (pod: Json): string[] =>
  ["initContainerStatuses", "containerStatuses"]
    .flatMap((field) => list(pod, "status", field))
    .flatMap((one) => {
      const reason = text(one, "state", "waiting", "reason");
      const message = text(one, "state", "waiting", "message");
      return reason === ""
        ? []
        : [`container ${text(one, "name")} waits: ${reason}${message === "" ? "" : `, ${message}`}`];
    });

/** What a scheduler that runs reports; otherwise how to get the pod onto a node. */
async function unscheduledReason(context: Context, pod: Json): Promise<string> {
  const scheduler = text(pod, "spec", "schedulerName") || "default-scheduler";
  const [reported] = await eventsOf(context, pod);
  const waits = `no node is chosen for it: it waits for the scheduler "${scheduler}"`;
  return reported === undefined ? `${waits}; run one, or set spec.nodeName` : `${waits} (${reported})`;
}

/** A scheduler that runs has chosen a node, or said why it cannot, within this time. */
export const scheduledWithinMs = 5_000;

/** Whether nothing can be said yet about a pod without a node: it is so new that a scheduler may not have seen it. */
export function isJustCreated(pod: Json, nowMs: number): boolean {
  const ageMs = nowMs - Date.parse(text(pod, "metadata", "creationTimestamp"));
  return isUnscheduled(pod) && conditionReasons(pod).length === 0 && ageMs < scheduledWithinMs;
}

async function nodeReason(context: Context, name: string): Promise<string[]> {
  try {
    const node = await context.at(await findResource(context, "nodes")).get({ name });
    const ready = list(node, "status", "conditions").find((one) => one["type"] === "Ready");
    if (ready?.["status"] === "True") return [`node ${name} is ready; its agent has not started the pod yet`];
    return [`node ${name} is not ready: no agent reports its state`];
  } catch (error) {
    return isNotFound(error)
      ? [`node ${name} does not exist`]
      : [`the agent of node ${name} has not started the pod yet`];
  }
}

/** The messages of failures to schedule, the latest first. */
async function eventsOf(context: Context, pod: Json): Promise<string[]> {
  const namespace = namespaceOf(pod);
  const fieldSelector = `involvedObject.uid=${text(pod, "metadata", "uid")},involvedObject.name=${nameOf(pod)},reason=FailedScheduling`;
  const found: Json[] = [];
  try {
    const events = await findResource(context, "events");
    for await (const event of context.at(events).items({ namespace, fieldSelector })) found.push(event);
  } catch {
    return []; // events only add to what is known
  }
  const timeOf = (event: Json) => text(event, "lastTimestamp") || text(event, "eventTime");
  return found.sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1)).map((event) => text(event, "message"));
}
