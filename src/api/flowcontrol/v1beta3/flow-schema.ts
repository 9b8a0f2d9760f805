/** FlowSchema in v1beta3: the same shape as v1beta1. */

import { elided } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { createRetyped } from "../../../machinery/schema/retyped.ts";
import { FlowSchema as Hub } from "../v1beta1/flow-schema.ts";
import { FlowSchemaSpec, FlowSchemaStatus } from "../v1beta1/flow-schema-spec.ts";

export const inV1beta3 = createRetyped("flowcontrol.v1beta1", "flowcontrol.v1beta3");

export const FlowSchema = version(Hub, {
  version: "v1beta3",
  since: "1.26",
  deprecated: { since: "1.29", removed: "1.32", replacement: "flowcontrol.apiserver.orch.io/v1 FlowSchema" },
  fields: {
    spec: elided(inV1beta3(FlowSchemaSpec)).at(2).doc("The desired state of the flow schema, set by its users."),
    status: elided(inV1beta3(FlowSchemaStatus))
      .at(3)
      .doc("The most recently observed state of the flow schema, written by the system."),
  },
});
