/** Accepts everything. Kept for command lines that name it. */

import type { AdmissionPlugin } from "../contract.ts";

export function createAlwaysAdmit(): AdmissionPlugin {
  return { name: "AlwaysAdmit", handles: () => false };
}
