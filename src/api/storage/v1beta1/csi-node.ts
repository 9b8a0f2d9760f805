/** CSINode in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { CSINode as Hub } from "../v1/csi-node.ts";

export const CSINode = version(Hub, {
  version: "v1beta1",
  deprecated: { since: "1.17", removed: "1.22", replacement: "storage.orch.io/v1 CSINode" },
});
