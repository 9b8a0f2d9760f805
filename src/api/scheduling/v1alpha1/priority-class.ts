/** PriorityClass in v1alpha1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { PriorityClass as Hub } from "../v1/priority-class.ts";

export const PriorityClass = version(Hub, {
  version: "v1alpha1",
  deprecated: { since: "1.14", removed: "1.22", replacement: "scheduling.orch.io/v1 PriorityClass" },
});
