/** ServiceCIDR in v1alpha1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { ServiceCIDR as Hub } from "../v1/service-cidr.ts";

export const ServiceCIDR = version(Hub, {
  version: "v1alpha1",
  since: "1.29",
  until: "1.31",
  deprecated: { since: "1.30", removed: "1.33" },
});
