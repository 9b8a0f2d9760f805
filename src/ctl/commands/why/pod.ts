/** Why a pod does not run, or is not ready. */

import type { Context } from "../../context.ts";
import { type Json, list, text } from "../../json.ts";
import { isUnscheduled, pendingReasons } from "../../streams/pending.ts";
import { containerTroubles } from "./containers.ts";
import { warningLines } from "./events.ts";
import { type Explainer, type Explanation, indented } from "./explanation.ts";
import { missingReferences } from "./references.ts";

export const podExplainer: Explainer = { kind: "Pod", group: "", explain: explainPod };

export async function explainPod(context: Context, pod: Json): Promise<Explanation> {
  const phase = text(pod, "status", "phase");
  if (phase === "Succeeded") return { summary: "has ended, with success", lines: [] };
  const containers = await containerTroubles(context, pod);
  const troubles = containers.flatMap(({ lines }) => lines);
  const missing = await missingReferences(context, pod);
  const trouble = [phase, text(pod, "status", "reason"), ...containers.map((one) => one.trouble), ...missing].join(
    "; ",
  );
  if (phase === "Failed") {
    const reason = [text(pod, "status", "reason"), text(pod, "status", "message")].filter(Boolean).join(": ");
    return { summary: `has failed${reason === "" ? "" : `: ${reason}`}`, lines: troubles, trouble };
  }
  if (isUnscheduled(pod)) {
    const lines = [...(await pendingReasons(context, pod)), ...missing];
    return { summary: "does not run yet", lines, trouble: `${lines[0]}` };
  }
  const isReady = conditionOf(pod, "Ready")?.["status"] === "True";
  const gates = list(pod, "spec", "readinessGates")
    .map((gate) => text(gate, "conditionType"))
    .filter((type) => conditionOf(pod, type)?.["status"] !== "True")
    .map((type) => `it waits until its readiness gate ${type} is True`);
  const warnings = await warningLines(context, pod, (event) => isReady || isTold(event, troubles));
  if (isReady) return { summary: "runs and is ready", lines: missing };
  // Before its agent has reported anything, the node itself may be the reason.
  const waits = phase === "Running" || troubles.length + missing.length > 0 ? [] : await pendingReasons(context, pod);
  const lines = [...troubles, ...missing, ...gates, ...waits, ...indented(warnings)];
  const isLoop = trouble.includes("CrashLoopBackOff");
  const summary = isLoop
    ? "crashes again and again"
    : phase === "Running"
      ? "runs, but is not ready"
      : "does not run yet";
  return { summary, lines, trouble };
}

export const isReadyPod = (pod: Json): boolean => conditionOf(pod, "Ready")?.["status"] === "True";

const conditionOf = (pod: Json, type: string): Json | undefined =>
  list(pod, "status", "conditions").find((one) => one["type"] === type);

/** What the statuses of containers and conditions say already. */
function isTold(event: Json, lines: readonly string[]): boolean {
  const message = text(event, "message").replace(/^Error: /, "");
  return (
    ["BackOff", "FailedScheduling"].includes(text(event, "reason")) || lines.some((line) => line.includes(message))
  );
}
