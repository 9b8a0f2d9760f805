/** Refuses everything that clients write. For tests. */

import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { serverUser } from "../../registry/contract/server-writes.ts";
import { refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";

export function createAlwaysDeny(): AdmissionPlugin {
  const deny = (request: AdmissionRequest): never => {
    throw refuse(request, "every write is refused");
  };
  // Without its own objects the server would never be ready; no client can authenticate as this user.
  const handles = ({ user }: AdmissionRequest): boolean => user !== serverUser;
  return { name: "AlwaysDeny", handles, mutate: deny, validate: deny };
}
