/** The condition by which a pod says that it is deleted for the sake of the cluster, not because it has ended. */

import { Pod } from "../../../api/core/v1/pod.ts";
import { timeText } from "../../../machinery/values/time.ts";
import { patch, type Request } from "../../plan.ts";
import { podCondition } from "./state.ts";

export interface Disruption {
  readonly reason: string;
  readonly message: string;
}

/** `phase`: what the pod becomes as well. Undefined: the pod says all of that already. */
export function markDisrupted(
  pod: Pod,
  { disruption, phase }: { readonly disruption?: Disruption | undefined; readonly phase?: "Failed" },
  nowMs: number,
): Request<Pod> | undefined {
  const { namespace, name = "", uid, generation } = pod.metadata;
  const known = podCondition(pod, "DisruptionTarget");
  const isNews =
    disruption !== undefined &&
    (known?.status !== "True" || known.reason !== disruption.reason || known.message !== disruption.message);
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    ...disruption,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: known?.status === "True" ? known.lastTransitionTime : timeText(nowMs),
  };
  if (!isNews && phase === undefined) return undefined;
  const status = { ...(phase === undefined ? {} : { phase }), ...(isNews ? { conditions: [condition] } : {}) };
  return patch(Pod, { namespace, name }, { metadata: { uid }, status }, { type: "strategic", subresource: "status" });
}
