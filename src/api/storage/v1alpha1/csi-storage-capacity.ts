/** CSIStorageCapacity in v1alpha1: the same shape as v1beta1. */

import { version } from "../../../machinery/schema/kind.ts";
import { CSIStorageCapacity as Hub } from "../v1beta1/csi-storage-capacity.ts";

export const CSIStorageCapacity = version(Hub, {
  version: "v1alpha1",
  deprecated: { since: "1.21", removed: "1.24", replacement: "storage.orch.io/v1beta1 CSIStorageCapacity" },
});
