/** A DeviceClass names a sort of devices that claims can ask for. */

import { elided, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { isExtendedResource } from "../../resource-names.ts";
import { configurationsMax, DeviceClassConfiguration, selectorList } from "./device-selector.ts";
import { selectorChecks } from "./selector-expressions.ts";

const DeviceClassSpec = struct("resource.v1.DeviceClassSpec", {
  selectors: elided(selectorList()).at(1).doc("Selectors that a device of the class must match, all of them."),
  config: elided(list(DeviceClassConfiguration, { topology: "atomic" }))
    .at(2)
    .max(configurationsMax)
    .doc("Configuration that drivers get for each device of the class."),
  extendedResourceName: optional(string())
    .at(4)
    .checked((name, path, environment) =>
      isExtendedResource(name, environment)
        ? noErrors
        : [invalid(path, name, "must be the name of an extended resource")],
    )
    .behind("DRAExtendedResource")
    .doc("The extended resource that stands for the class; needs the feature gate DRAExtendedResource."),
});

type DeviceClassSpec = Static<typeof DeviceClassSpec>;

export const DeviceClass = kind({
  group: "resource.orch.io",
  version: "v1",
  since: "1.34",
  kind: "DeviceClass",
  resource: "deviceclasses",
  scope: "Cluster",
  doc: "A DeviceClass names a sort of devices that claims can ask for.",
  fields: { spec: DeviceClassSpec.at(2).listed(false, "1.37").doc("What the devices of the class have in common.") },
  generation: true,
  returnsDeleted: true,
  ...selectorChecks(({ spec }: { readonly spec: DeviceClassSpec }) => [["spec.selectors", spec.selectors]]),
  columns: () => [nameColumn, ageColumn],
});
export type DeviceClass = Static<typeof DeviceClass>;
