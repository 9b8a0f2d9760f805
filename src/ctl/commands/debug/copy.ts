/** `debug --copy-to`: a copy of a pod with other images, another command or one more container. */

import { CtlError } from "../../errors.ts";
import { findResource } from "../../input/lookups.ts";
import { copy, type Json, list, nameOf, namespaceOf, object, text } from "../../json.ts";
import { managerOf, withNamespace, writeOptions } from "../../write/write-options.ts";
import { pairsOf } from "../create/generator.ts";
import { type DebugContainer, newName, shaped } from "./containers.ts";
import type { DebugContext } from "./flags.ts";
import { profileOf, withProfile } from "./profiles.ts";

export async function debugCopy(context: DebugContext, pod: Json, words: readonly string[]): Promise<DebugContainer> {
  const { flags: given } = context;
  const profile = profileOf(context);
  const spec = copy(object(pod, "spec"));
  delete spec["ephemeralContainers"];
  if (context.isSet("share-processes")) spec["shareProcessNamespace"] = given["share-processes"];
  if (!given["same-node"]) delete spec["nodeName"];
  const images = pairsOf(given["set-image"], "set-image");
  const containers = list(spec, "containers").map((container) => {
    const image = images[text(container, "name")] ?? images["*"];
    return image === undefined ? container : { ...container, image };
  });
  const wanted = given.container;
  let container = wanted || text(containers[0], "name");
  const isThere = containers.some(({ name }) => name === wanted);
  if (!isThere && given.image === "" && words.length > 0)
    throw new CtlError("you must specify an existing container or a new image when specifying args.");
  const isNew = !isThere && given.image !== "";
  if (isNew) {
    container = newName(context, containers);
    const made = shaped(context, { name: container, terminationMessagePolicy: "FallbackToLogsOnError" }, words);
    containers.push(withProfile(made, profile));
  }
  spec["containers"] = isThere
    ? containers.map((container) =>
        container["name"] === wanted ? withProfile(shaped(context, container, words), profile) : container,
      )
    : containers;
  // Other images alone make a copy that is like the pod in everything else.
  const isIsolated = profile.isolatesCopies && (isNew || isThere);
  if (isNew || isIsolated) spec["shareProcessNamespace"] = given["share-processes"];
  if (!given["keep-init-containers"]) delete spec["initContainers"];
  if (isIsolated) removeProbes(context, spec);
  const resource = await findResource(context, "pods");
  const namespace = namespaceOf(pod);
  const metadata: Json = { name: given["copy-to"], namespace };
  for (const { field, isKept } of [
    { field: "annotations", isKept: !isIsolated || given["keep-annotations"] },
    { field: "labels", isKept: given["keep-labels"] || (profile.isolatesCopies && !isIsolated) },
  ]) {
    const kept = object(pod, "metadata", field);
    if (isKept && Object.keys(kept).length > 0) metadata[field] = kept;
  }
  const made: Json = { apiVersion: "v1", kind: "Pod", metadata, spec };
  const manager = managerOf(context, "");
  const created = await context.at(resource).create(withNamespace(made, resource, namespace), writeOptions(manager));
  if (given.replace) await context.at(resource).delete({ namespace, name: nameOf(pod) }, { gracePeriodSeconds: 0 });
  return { pod: created, container };
}

/** Probes would restart what is being debugged. */
function removeProbes({ flags }: DebugContext, spec: Json): void {
  for (const container of list(spec, "containers")) {
    if (!flags["keep-liveness"]) delete container["livenessProbe"];
    if (!flags["keep-readiness"]) delete container["readinessProbe"];
    if (!flags["keep-startup"]) delete container["startupProbe"];
  }
}
