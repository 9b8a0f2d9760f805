/** A VolumeAttributesClass names attributes that volumes of a driver can be given, and changed to, after they exist. */

import { elided, map, type Static, string } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { forbidden } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { validateDriverName } from "../../core/v1/volume/source-rules.ts";
import { validateParameters } from "./validate-storage-class.ts";

export const VolumeAttributesClass = kind({
  group: "storage.orch.io",
  version: "v1",
  since: "1.34",
  kind: "VolumeAttributesClass",
  resource: "volumeattributesclasses",
  scope: "Cluster",
  shortNames: ["vac"],
  doc: "A VolumeAttributesClass names attributes that volumes of a driver can be changed to after they exist.",
  fields: {
    driverName: string().at(2).required().checked(validateDriverName).doc("The CSI driver that the class is for."),
    parameters: elided(map(string()))
      .at(3)
      .required()
      .checked(validateParameters)
      .doc("The attributes, which the driver gives the volume. At most 512, and 256 KiB together."),
  },
  returnsDeleted: true,
  validateUpdate: (next, old) =>
    (["driverName", "parameters"] as const).flatMap((field) =>
      sameValue(next[field], old[field]) ? [] : [forbidden(field, "updates are forbidden")],
    ),
  columns: (column) => [nameColumn, column("DriverName", ({ driverName }) => driverName), ageColumn],
});
export type VolumeAttributesClass = Static<typeof VolumeAttributesClass>;
