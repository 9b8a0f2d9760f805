/** StorageClass in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { StorageClass as Hub } from "../v1/storage-class.ts";

export const StorageClass = version(Hub, {
  version: "v1beta1",
  deprecated: { since: "1.19", removed: "1.22", replacement: "storage.orch.io/v1 StorageClass" },
});
