/** VolumeAttachment in v1alpha1: the same shape as v1, whose status is written with the object. */

import { version } from "../../../machinery/schema/kind.ts";
import { validateAttachmentStatus } from "../v1/validate-volume-attachment.ts";
import { VolumeAttachment as Hub } from "../v1/volume-attachment.ts";

export const VolumeAttachment = version(Hub, {
  version: "v1alpha1",
  until: "1.23",
  deprecated: { since: "1.21", removed: "1.24", replacement: "storage.orch.io/v1 VolumeAttachment" },
  strategy: { validate: validateAttachmentStatus },
  subresources: [],
});
