/** A StorageClass describes a way of providing volumes. */

import { isQualifiedName } from "../../../machinery/meta/names.ts";
import { bool, elided, list, map, optional, type Static, string } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { forbidden, noErrors } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { TopologySelectorTerm } from "../../core/v1/pod/scheduling.ts";
import { labelWarning } from "../../core/v1/volume/warnings.ts";
import { isDefaultClass, storageClassMarks } from "../../default-class.ts";
import { has } from "../../features.ts";
import { validateParameters, validateTopologies } from "./class-rules.ts";

const fixedText = "updates are forbidden";

export const StorageClass = kind({
  group: "storage.orch.io",
  version: "v1",
  kind: "StorageClass",
  resource: "storageclasses",
  scope: "Cluster",
  shortNames: ["sc"],
  doc: "A StorageClass describes a way of providing volumes.",
  fields: {
    provisioner: string()
      .at(2)
      .required()
      .named((text) => isQualifiedName(text.toLowerCase()))
      .before("1.36", (provisioner) => provisioner.immutable(fixedText))
      .from("1.36", (provisioner) => provisioner.immutable())
      .doc("The provisioner that creates volumes of the class."),
    parameters: elided(map(string()))
      .at(3)
      .checked(validateParameters)
      .immutable(fixedText)
      .doc("Parameters that are passed to the provisioner. At most 512, and 256 KiB together."),
    reclaimPolicy: optional(string())
      .at(4)
      .oneOf(["Delete", "Retain"])
      .openApiEnum(["Delete", "Recycle", "Retain"])
      .orEmpty()
      .before("1.36", (policy) => policy.immutable(fixedText))
      .from("1.36", (policy) => policy.immutable())
      .default("Delete")
      .doc("The reclaim policy of new volumes: Delete or Retain. Default: Delete."),
    mountOptions: elided(list(string())).at(5).doc("Mount options of new volumes, such as ro or soft; not checked."),
    allowVolumeExpansion: optional(bool()).at(6).doc("Whether claims of the class may be enlarged. Default: false."),
    volumeBindingMode: optional(string())
      .at(7)
      .required()
      .oneOf(["Immediate", "WaitForFirstConsumer"])
      .immutable()
      .default("Immediate")
      .doc("When a claim is bound: Immediate, or WaitForFirstConsumer for when a pod uses it. Default: Immediate."),
    allowedTopologies: elided(list(TopologySelectorTerm, { from: { "1.22": { topology: "atomic" } } }))
      .at(8)
      .checked(validateTopologies)
      .doc("Places where volumes may be provisioned. Absent: anywhere."),
  },
  returnsDeleted: true,
  compat: { tellsEmpty: true },
  warnings: ({ allowedTopologies = [] }, _old, environment) =>
    has(environment, "storageWarnings")
      ? allowedTopologies.flatMap(({ matchLabelExpressions = [] }, index) =>
          matchLabelExpressions.flatMap(({ key }, at) =>
            labelWarning(key, `allowedTopologies[${index}].matchLabelExpressions[${at}].key`, environment),
          ),
        )
      : [],
  // Parameters that are given empty where there are none count as a change.
  validateUpdate: (next, old, _environment, emptied) =>
    emptied?.has("parameters") && sameValue(next.parameters, old.parameters)
      ? [forbidden("parameters", fixedText)]
      : noErrors,
  columns: (column) => [
    column("Name", ({ metadata }, environment) => nameText(metadata, environment), {
      format: "name",
      description: nameColumn.description ?? "",
    }),
    column("Provisioner", ({ provisioner }) => provisioner),
    column("ReclaimPolicy", ({ reclaimPolicy }) => reclaimPolicy ?? "Delete"),
    column("VolumeBindingMode", ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate"),
    column("AllowVolumeExpansion", ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false),
    ageColumn,
  ],
});
export type StorageClass = Static<typeof StorageClass>;

function nameText(metadata: ObjectMeta, { vocabulary }: Environment): string {
  const { name = "" } = metadata;
  return isDefaultClass(metadata, storageClassMarks, vocabulary) ? `${name} (default)` : name;
}
