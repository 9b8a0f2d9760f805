/** Refuses everything. For tests. */

import { refuse } from "../context.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../contract.ts";

export function createAlwaysDeny(): AdmissionPlugin {
  const deny = (request: AdmissionRequest): never => {
    throw refuse(request, "every write is refused");
  };
  return { name: "AlwaysDeny", handles: () => true, mutate: deny, validate: deny };
}
