/** What becomes of the pods of a node that is drained, and the eviction of one. */

import { listAt, objectAt, textAt } from "../machinery/json/json-value.ts";
import { controllerOf } from "./relations.ts";

type Json = Readonly<Record<string, unknown>>;

interface DrainedPod {
  /** The reference to its controller. Undefined: nothing makes it again. */
  readonly controller: Json | undefined;
  /** Whether the node itself makes it, whatever the server says. */
  readonly isOfNode: boolean;
  /** Whether a daemon set would make it again on the same node. */
  readonly isDaemon: boolean;
  /** Whether it has ended, so that nothing is lost with it. */
  readonly isOver: boolean;
  /** Whether it has files that go with it. */
  readonly hasLocalData: boolean;
}

/** `mirror`: the annotation of pods that a node makes, as the server calls it. */
export function drainedPod(pod: Json, mirror: string): DrainedPod {
  const controller = controllerOf(pod);
  return {
    controller,
    isOfNode: textAt(objectAt(objectAt(pod, "metadata"), "annotations"), mirror) !== "",
    isDaemon: textAt(controller, "kind") === "DaemonSet",
    isOver: ["Succeeded", "Failed"].includes(textAt(objectAt(pod, "status"), "phase")),
    hasLocalData: listAt(objectAt(pod, "spec"), "volumes").some((volume) => volume["emptyDir"] !== undefined),
  };
}

/** The annotation of pods that a node makes. */
export const mirrorAnnotation = "orch.io/config.mirror";

/** The body of an eviction, in the version that servers of all levels take. */
export const evictionOf = (ref: { readonly name: string; readonly namespace: string }, deleteOptions?: Json) => ({
  apiVersion: "policy/v1beta1",
  kind: "Eviction",
  metadata: { name: ref.name, namespace: ref.namespace },
  ...(deleteOptions === undefined ? {} : { deleteOptions }),
});
