/** PriorityClass in v1alpha1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { PriorityClass as Hub } from "../v1/priority-class.ts";

export const PriorityClass = version(Hub, {
  version: "v1alpha1",
  until: "1.23",
});
