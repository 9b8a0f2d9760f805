/** Streams to a container: the paths of its subresources, and the error if the server has no node agents. */

import { objectPath } from "../../client/requests/address.ts";
import { readRefusal } from "../../client/requests/refusals.ts";
import { UpgradeRefused } from "../../client/streams/contract.ts";
import { noAgentReason, StatusError } from "../../machinery/status/status.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { findResource } from "../input/lookups.ts";
import { type Json, nameOf, namespaceOf } from "../json.ts";
import { isUnscheduled } from "./pending.ts";

/** The path of a pod's subresource, with its options; each may be repeated. */
export async function streamPath(
  context: Context,
  pod: Json,
  subresource: "exec" | "attach" | "portforward",
  options: readonly (readonly [name: string, value: string])[],
): Promise<string> {
  requireNode(context, pod, subresource === "portforward" ? "port-forward" : subresource);
  const resource = await findResource(context, "pods");
  const path = objectPath(resource, { namespace: namespaceOf(pod), name: nameOf(pod) }, subresource);
  const query = options.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return query === "" ? path : `${path}?${query}`;
}

/** The one line that explains why nothing can be streamed. */
export const noAgentLine = (context: Context, command: string): string =>
  `${command} needs an agent on the node of the pod; this server has none attached. "${context.program} describe" and "${context.program} events" show what is known`;

/** Throws if no node has been chosen for the pod: there is no agent that could run its containers. */
export function requireNode(context: Context, pod: Json, command: string): void {
  if (!context.behaviour.checksNodeOfPod || !isUnscheduled(pod)) return;
  throw new CtlError(
    `${command} needs an agent on the node of the pod, and pod "${nameOf(pod)}" has no node yet; "${context.program} why pod/${nameOf(pod)}" says what is missing`,
  );
}

/** The error that users see: the server's Status, or that it has no node agents. */
export async function explained(context: Context, command: string, error: unknown): Promise<unknown> {
  const known = error instanceof UpgradeRefused ? await readRefusal(error.response) : error;
  return isNoAgent(known) ? new CtlError(noAgentLine(context, command), { cause: known }) : known;
}

/** Whether an orch server reports that nothing runs its pods. */
function isNoAgent(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    error.code === 503 &&
    error.details?.causes?.some(({ reason }) => reason === noAgentReason) === true
  );
}
