/** HorizontalPodAutoscaler in v2: the shape of v2beta2 under the names of v2. */

import { elided, list, type Static, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { createRetyped } from "../../../machinery/schema/retyped.ts";
import {
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerSpec,
  statusFields,
} from "../v2beta2/autoscaler-spec.ts";
import { HorizontalPodAutoscaler as Hub } from "../v2beta2/horizontal-pod-autoscaler.ts";

const inV2 = createRetyped("autoscaling.v2beta2", "autoscaling.v2", { namesLists: true });

const HorizontalPodAutoscalerStatus = struct("autoscaling.v2beta2.HorizontalPodAutoscalerStatus", {
  ...statusFields,
  currentReplicas: statusFields.currentReplicas.from("1.23", elided),
  conditions: list(HorizontalPodAutoscalerCondition, {
    topology: "map",
    keys: ["type"],
    patchStrategy: "merge",
    patchMergeKey: "type",
  })
    .at(6)
    .from("1.23", elided)
    .doc("The current state of the object, one entry for each condition type."),
});

export const HorizontalPodAutoscaler = version(Hub, {
  version: "v2",
  since: "1.23",
  fields: {
    spec: elided(inV2(HorizontalPodAutoscalerSpec))
      .listed(true, "1.36")
      .at(2)
      .doc("The desired state of the horizontal pod autoscaler, set by its users."),
    status: elided(inV2(HorizontalPodAutoscalerStatus))
      .at(3)
      .doc("The most recently observed state of the horizontal pod autoscaler, written by the system."),
  },
});
export type HorizontalPodAutoscaler = Static<typeof HorizontalPodAutoscaler>;
