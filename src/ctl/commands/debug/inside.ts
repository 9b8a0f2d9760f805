/** `debug POD`: one more container in a running pod. */

import { StatusError } from "../../../machinery/status/status.ts";
import { CtlError } from "../../errors.ts";
import { findResource } from "../../input/lookups.ts";
import { type Json, kindOf, list, nameOf, namespaceOf } from "../../json.ts";
import { managerOf, writeOptions } from "../../write/write-options.ts";
import { type DebugContainer, newName, shaped } from "./containers.ts";
import type { DebugContext } from "./flags.ts";
import { legacyProfile, profileOf, withProfile } from "./profiles.ts";

const subresource = "ephemeralcontainers";

export async function debugInside(context: DebugContext, pod: Json, words: readonly string[]): Promise<DebugContainer> {
  const { target, quiet } = context.flags;
  if (target !== "" && !quiet && context.behaviour.givesHints)
    context.say(
      `Targeting container "${target}"; if its processes are not seen, the container runtime of the node cannot show them`,
    );
  const pods = context.at(await findResource(context, "pods"));
  const ref = { namespace: namespaceOf(pod), name: nameOf(pod) };
  const before = await currentOf(context, pod);
  const taken = ["containers", "initContainers", "ephemeralContainers"].flatMap((field) => list(pod, "spec", field));
  const container = newName(context, taken);
  const isList = kindOf(before) === "EphemeralContainers";
  const own: Json = {
    name: container,
    terminationMessagePolicy: "File",
    ...(target === "" ? {} : { targetContainerName: target }),
  };
  const profile = isList && !context.isSet("profile") ? legacyProfile : profileOf(context);
  const made = withProfile(shaped(context, own, words), profile);
  const manager = writeOptions(managerOf(context, ""));
  if (isList) {
    const ephemeralContainers = [...list(before, "ephemeralContainers"), made];
    const body = { ...before, ephemeralContainers };
    await pods.subresource(ref, subresource, body, "PUT");
    return { pod, container };
  }
  const order = [...list(before, "spec", "ephemeralContainers").map(({ name }) => ({ name })), { name: container }];
  // Without the order a strategic merge puts new items first.
  const patch = { spec: { "$setElementOrder/ephemeralContainers": order, ephemeralContainers: [made] } };
  const now = await pods.patch(ref, patch, { ...manager, type: "strategic", subresource });
  // An answer without the container would mean that it will never run.
  if (!list(now, "spec", "ephemeralContainers").some(({ name }) => name === container))
    throw new CtlError(`the server accepted container ${container}, but did not add it to pod "${nameOf(pod)}"`);
  return { pod, container };
}

/** What the subresource holds: a list of its own until 1.21, the pod since 1.22. Who may only patch it is taken to speak to the latter. */
async function currentOf(context: DebugContext, pod: Json): Promise<Json> {
  const pods = context.at(await findResource(context, "pods"));
  const ref = { namespace: namespaceOf(pod), name: nameOf(pod) };
  try {
    return await pods.subresource<Json>(ref, subresource);
  } catch (error) {
    if (error instanceof StatusError && (error.code === 403 || error.code === 405)) return pod;
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
    throw new CtlError(`ephemeral containers are disabled for this cluster (error from server: "${error.message}").`, {
      cause: error,
    });
  }
}
