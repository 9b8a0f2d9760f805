/** CSIStorageCapacity in v1: the same shape as v1beta1. */

import { version } from "../../../machinery/schema/kind.ts";
import { CSIStorageCapacity as Hub } from "../v1beta1/csi-storage-capacity.ts";

export const CSIStorageCapacity = version(Hub, { version: "v1", since: "1.24" });
export type CSIStorageCapacity = Hub;
