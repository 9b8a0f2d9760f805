/** How a pod is: the word that tables show for it, and why it is not ready. */

import { listAt, objectAt, textAt } from "../machinery/json/json-value.ts";
import { type StatedHealth, wordHealth } from "./health.ts";

type Json = Readonly<Record<string, unknown>>;

export function podHealth(pod: Json): StatedHealth {
  const status = objectAt(pod, "status");
  const phase = textAt(status, "phase") || "Unknown";
  const message = textAt(status, "message");
  if (phase === "Succeeded") return { state: "healthy", word: "Completed", why: "" };
  if (phase === "Failed")
    return { state: "failing", word: textAt(status, "reason") || "Failed", why: message || lastEnd(pod) };
  const stuck = stuckContainer(pod);
  if (stuck !== undefined) return stuck;
  const scheduled = conditionOf(pod, "PodScheduled");
  if (textAt(scheduled, "status") === "False") {
    const word = textAt(scheduled, "reason") || "Unschedulable";
    return { state: "failing", word, why: textAt(scheduled, "message") };
  }
  if (phase !== "Running") return { state: wordHealth(phase) ?? "unknown", word: phase, why: message };
  const ready = conditionOf(pod, "Ready");
  if (textAt(ready, "status") === "True") return { state: "healthy", word: "Running", why: "" };
  return { state: "progressing", word: "Not ready", why: textAt(ready, "message") || "its containers are not ready" };
}

const conditionOf = (pod: Json, type: string): Json | undefined =>
  listAt(objectAt(pod, "status"), "conditions").find((one) => textAt(one, "type") === type);

const statusesOf = (pod: Json): readonly Json[] =>
  ["initContainerStatuses", "containerStatuses"].flatMap((key) => listAt(objectAt(pod, "status"), key));

/** The first container that waits for something that may not come. */
function stuckContainer(pod: Json): StatedHealth | undefined {
  for (const container of statusesOf(pod)) {
    const waiting = objectAt(objectAt(container, "state"), "waiting");
    const reason = textAt(waiting, "reason");
    const state = wordHealth(reason);
    if (state !== "failing") continue;
    const last = objectAt(objectAt(container, "lastState"), "terminated");
    const why = [textAt(waiting, "message"), endOf(last)].filter((one) => one !== "").join("; ");
    return { state, word: reason, why: `container ${textAt(container, "name")}${why === "" ? "" : `: ${why}`}` };
  }
  return undefined;
}

function lastEnd(pod: Json): string {
  const ended = statusesOf(pod).map((one) => objectAt(objectAt(one, "state"), "terminated"));
  return endOf(ended.find((one) => one?.["exitCode"] !== 0));
}

/** "the last run ended with 1 (Error)". */
function endOf(terminated: Json | undefined): string {
  if (terminated === undefined) return "";
  const reason = textAt(terminated, "reason");
  const message = textAt(terminated, "message").trim();
  return `it ended with ${String(terminated["exitCode"])}${reason === "" ? "" : ` (${reason})`}${message === "" ? "" : `: ${message}`}`;
}
