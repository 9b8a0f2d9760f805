/** Waits until a new container runs, and attaches to it. Used by `run` and `debug`. */

import { objectPath } from "../../client/requests/address.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { findResource } from "../input/lookups.ts";
import { type Json, list, nameOf, namespaceOf, number, object, text } from "../json.ts";
import { pause } from "../pause.ts";
import { noAgentLine } from "../streams/connect.ts";
import { LogPrinter } from "../streams/log-printer.ts";
import { isCompleted } from "../streams/pods.ts";
import { type Attachment, attachTo } from "./attach.ts";

const pollMs = 300;

/** Attaches once the container runs; if it has already ended, prints its log. */
export async function attachToNew(context: Context, pod: Json, wanted: Attachment, timeoutMs: number): Promise<void> {
  await refuseWithoutNodes(context);
  const hasEnded = (now: Json) => isCompleted(now) || isIn("terminated", now, wanted.container);
  const current = await waitForPod(context, pod, timeoutMs, (now) => hasEnded(now) || isRunning(now, wanted.container));
  if (hasEnded(current)) return printWholeLog(context, current, wanted.container);
  await attachTo(context, current, wanted);
}

/** On an orch server without a ready node nothing will run. Elsewhere a node may still be added for the pod. */
async function refuseWithoutNodes(context: Context): Promise<void> {
  const resource = await findResource(context, "nodes");
  try {
    if (!text(await context.session.version(), "gitVersion").includes("+orch-")) return;
    for await (const node of context.at(resource).items())
      if (list(node, "status", "conditions").some((one) => one["type"] === "Ready" && one["status"] === "True")) return;
  } catch (error) {
    if (error instanceof StatusError) return;
    throw error;
  }
  throw new CtlError(`the container was created, but ${noAgentLine(context, "attach")}`);
}

/** Resolves with the pod when the condition holds. */
export async function waitForPod(
  context: Context,
  pod: Json,
  timeoutMs: number,
  isDone: (pod: Json) => boolean,
): Promise<Json> {
  const resource = await findResource(context, "pods");
  const place = { resource, namespace: namespaceOf(pod), name: nameOf(pod) };
  const { clock } = context.environment;
  for (const endMs = clock.monotonic() + timeoutMs; ; await pause(context, pollMs)) {
    const current = await context.at(place.resource).get(place);
    if (isDone(current)) return current;
    if (clock.monotonic() >= endMs) throw new CtlError("timed out waiting for the condition");
  }
}

function isRunning(pod: Json, container: string): boolean {
  if (container === "") return text(pod, "status", "phase") === "Running";
  return isIn("running", pod, container);
}

const isIn = (state: "running" | "terminated", pod: Json, container: string): boolean =>
  ["containerStatuses", "ephemeralContainerStatuses"]
    .flatMap((field) => list(pod, "status", field))
    .some((one) => one["name"] === container && Object.keys(object(one, "state", state)).length > 0);

async function printWholeLog(context: Context, pod: Json, container: string): Promise<void> {
  const resource = await findResource(context, "pods");
  const path = objectPath(resource, { namespace: namespaceOf(pod), name: nameOf(pod) }, "log");
  const query = { container: container || undefined };
  const response = await context.session.send.open(path, { query, accept: "text/plain, */*" });
  if (response.body !== null) await new LogPrinter(context, { hasPrefix: false }).print(response.body, "");
}

/** Exits with the code of a pod that has ended. */
export function throwPodEnding(pod: Json): void {
  if (text(pod, "status", "phase") !== "Failed") return;
  const shown = `${namespaceOf(pod)}/${nameOf(pod)}`;
  const ended = object(list(pod, "status", "containerStatuses")[0], "state", "terminated");
  const code = number(ended, "exitCode") ?? 0;
  if (code === 0) throw new CtlError(`pod ${shown} failed with unknown exit code`);
  const message = `pod ${shown} terminated (${text(ended, "reason")})\n${text(ended, "message")}`.trimEnd();
  throw new CtlError(message, { exitCode: code, isBare: true });
}
