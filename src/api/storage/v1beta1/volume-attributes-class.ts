/** VolumeAttributesClass in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { VolumeAttributesClass as Hub } from "../v1/volume-attributes-class.ts";

export const VolumeAttributesClass = version(Hub, {
  version: "v1beta1",
  since: "1.31",
  deprecated: { since: "1.34", removed: "1.37", replacement: "storage.orch.io/v1 VolumeAttributesClass" },
});
