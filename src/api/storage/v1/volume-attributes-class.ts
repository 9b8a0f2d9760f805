/** A VolumeAttributesClass names attributes that volumes of a driver can be given, and changed to, after they exist. */

import { isQualifiedName } from "../../../machinery/meta/names.ts";
import { elided, map, type Static, string } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { validateParameters } from "./class-rules.ts";

const fixedText = "updates are forbidden";

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
    driverName: string()
      .at(2)
      .required()
      .named((text) => isQualifiedName(text.toLowerCase()))
      .immutable(fixedText)
      .doc("The CSI driver that the class is for."),
    parameters: elided(map(string()))
      .at(3)
      .required()
      .checked(validateParameters)
      .immutable(fixedText)
      .doc("The attributes, which the driver gives the volume. At most 512, and 256 KiB together."),
  },
  returnsDeleted: true,
  columns: (column) => [nameColumn, column("DriverName", ({ driverName }) => driverName), ageColumn],
});
export type VolumeAttributesClass = Static<typeof VolumeAttributesClass>;
