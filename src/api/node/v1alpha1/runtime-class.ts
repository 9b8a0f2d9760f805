/** RuntimeClass in v1alpha1: its fields are in a spec. */

import { given } from "../../../machinery/json/json-value.ts";
import { optional, string, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { createRetyped } from "../../../machinery/schema/retyped.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { RuntimeClass as Hub, Overhead, Scheduling } from "../v1/runtime-class.ts";

const inV1alpha1 = createRetyped("node.v1", "node.v1alpha1");

const RuntimeClassSpec = struct("node.v1alpha1.RuntimeClassSpec", {
  runtimeHandler: string().at(1).doc("The configuration of the container runtime to use; cannot be changed."),
  overhead: optional(inV1alpha1(Overhead)).at(2).doc("Resources that running a pod costs on top of its containers."),
  scheduling: optional(inV1alpha1(Scheduling)).at(3).doc("Which nodes support the class. Absent: all."),
});

export const RuntimeClass = version(Hub, {
  version: "v1alpha1",
  until: "1.24",
  fields: { spec: RuntimeClassSpec.at(2).doc("How pods of the class are run.") },
  columns: (column) => [nameColumn, column("Handler", ({ spec }) => spec?.runtimeHandler ?? ""), ageColumn],
  toHub: ({ spec, ...same }) => ({
    ...same,
    ...given({ handler: spec?.runtimeHandler ?? "", overhead: spec?.overhead, scheduling: spec?.scheduling }),
  }),
  fromHub: ({ handler, overhead, scheduling, ...same }) => ({
    ...same,
    spec: given({ runtimeHandler: handler, overhead, scheduling }),
  }),
});
