/** RuntimeClass in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { RuntimeClass as Hub } from "../v1/runtime-class.ts";

export const RuntimeClass = version(Hub, {
  version: "v1beta1",
  deprecated: { since: "1.22", removed: "1.25" },
});
