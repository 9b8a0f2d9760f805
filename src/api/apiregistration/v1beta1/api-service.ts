/** APIService in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { APIService as Hub } from "../v1/api-service.ts";

export const APIService = version(Hub, {
  version: "v1beta1",
  deprecated: { since: "1.19", removed: "1.22", replacement: "apiregistration.orch.io/v1 APIService" },
});
