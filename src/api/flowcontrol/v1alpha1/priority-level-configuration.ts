/** PriorityLevelConfiguration in v1alpha1: the same shape as v1beta1. */

import { elided } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { PriorityLevelConfiguration as Hub } from "../v1beta1/priority-level-configuration.ts";
import { PriorityLevelConfigurationSpec, PriorityLevelConfigurationStatus } from "../v1beta1/priority-level-spec.ts";
import { inV1alpha1 } from "./flow-schema.ts";

export const PriorityLevelConfiguration = version(Hub, {
  version: "v1alpha1",
  until: "1.24",
  fields: {
    spec: elided(inV1alpha1(PriorityLevelConfigurationSpec))
      .at(2)
      .doc("The desired state of the priority level configuration, set by its users."),
    status: elided(inV1alpha1(PriorityLevelConfigurationStatus))
      .at(3)
      .doc("The most recently observed state of the priority level configuration, written by the system."),
  },
});
