/** ValidatingAdmissionPolicy in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { ValidatingAdmissionPolicy as Hub } from "../v1/validating-admission-policy.ts";

export const ValidatingAdmissionPolicy = version(Hub, {
  version: "v1beta1",
  since: "1.28",
  deprecated: { since: "1.31", removed: "1.34" },
  retyped: { enums: { failurePolicy: "none", matchPolicy: "none" } },
});
