/** What a claim asks for; also used by pod volumes that are claims of their own. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { ResourceRequirements } from "./container.ts";
import { TypedLocalObjectReference } from "./references.ts";

export const PersistentVolumeClaimSpec = struct("core.v1.PersistentVolumeClaimSpec", {
  accessModes: elided(list(string())).at(1),
  resources: elided(ResourceRequirements).at(2),
  volumeName: elided(string()).at(3),
  selector: optional(LabelSelector).at(4),
  storageClassName: optional(string()).at(5),
  volumeMode: optional(string()).at(6).default("Filesystem"),
  dataSource: optional(TypedLocalObjectReference).at(7),
});
export type PersistentVolumeClaimSpec = Static<typeof PersistentVolumeClaimSpec>;
