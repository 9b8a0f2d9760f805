/** IPAddress in v1alpha1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { IPAddress as Hub } from "../v1/ip-address.ts";

export const IPAddress = version(Hub, {
  version: "v1alpha1",
  since: "1.27",
  until: "1.31",
  deprecated: { since: "1.30", removed: "1.33" },
});
