/** IngressClass in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { IngressClass as Hub } from "../v1/ingress-class.ts";

export const IngressClass = version(Hub, {
  version: "v1beta1",
  deprecated: { since: "1.19", removed: "1.22", replacement: "networking.orch.io/v1 IngressClassList" },
});
