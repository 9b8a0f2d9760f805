/** VolumeAttributesClass in v1alpha1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { VolumeAttributesClass as Hub } from "../v1/volume-attributes-class.ts";

export const VolumeAttributesClass = version(Hub, {
  version: "v1alpha1",
  since: "1.29",
  deprecated: { since: "1.32", removed: "1.35", replacement: "storage.orch.io/v1 VolumeAttributesClass" },
});
