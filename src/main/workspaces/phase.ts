/** In which phase of its life a workspace is. */

import type { Workspace } from "../../api/tenancy/v1alpha1/workspace.ts";

type Phase = "Ready" | "Suspended" | "Deleting";

export const phaseOf = ({ metadata, spec, status }: Workspace): Phase | "" => {
  if (metadata.deletionTimestamp) return "Deleting";
  if (!status?.base) return "";
  return spec?.suspended === true ? "Suspended" : "Ready";
};
