/** IPAddress in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { IPAddress as Hub } from "../v1/ip-address.ts";

export const IPAddress = version(Hub, {
  version: "v1beta1",
  since: "1.31",
  deprecated: { since: "1.34", removed: "1.37" },
});
