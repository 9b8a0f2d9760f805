/** The rules of a persistent volume inside an attachment, which has no name and no claim. */

import { pick } from "../../../../machinery/schema/build.ts";
import { checker, on } from "../../../../machinery/schema/constraints.ts";
import { forbid, need } from "../../../../machinery/schema/relations.ts";
import { forbidden, noErrors } from "../../../../machinery/status/field-error.ts";
import { PersistentVolumeSpec } from "./persistent-volume-spec.ts";
import { relationsOfVolume } from "./validate-persistent-volume.ts";
import { persistentSources } from "./volume-source-names.ts";

/** v1.21 checks only these fields of an inline spec. */
const InlineSpec = pick(PersistentVolumeSpec, ["accessModes", ...persistentSources]);
const notInline = "may not be specified in the context of inline volumes";
const always = () => true;

/** The inline spec of an attachment: only what the driver needs. */
export const checkInlineVolumeSpec = checker(InlineSpec, [
  ...relationsOfVolume(InlineSpec),
  forbid(InlineSpec, "claimRef", notInline, always),
  forbid(InlineSpec, "capacity", notInline, ({ capacity = {} }) => Object.keys(capacity).length > 0),
  need(InlineSpec, "csi", "has to be specified in the context of inline volumes", always),
  forbid(
    InlineSpec,
    "persistentVolumeReclaimPolicy",
    notInline,
    ({ persistentVolumeReclaimPolicy: policy }) => policy !== "Retain",
  ),
  forbid(InlineSpec, "nodeAffinity", notInline, always),
  forbid(InlineSpec, "storageClassName", notInline, always),
  on(InlineSpec, ({ volumeMode = "Filesystem" }) =>
    volumeMode === "Filesystem" ? noErrors : [forbidden("volumeMode", notInline)],
  ),
]);
