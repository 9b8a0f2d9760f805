/** FlowSchema in v1beta2: the same shape as v1beta1. */

import { elided } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { createRetyped } from "../../../machinery/schema/retyped.ts";
import { FlowSchema as Hub } from "../v1beta1/flow-schema.ts";
import { FlowSchemaSpec, FlowSchemaStatus } from "../v1beta1/flow-schema-spec.ts";

export const inV1beta2 = createRetyped("flowcontrol.v1beta1", "flowcontrol.v1beta2", { gainsPatches: false });

export const FlowSchema = version(Hub, {
  version: "v1beta2",
  since: "1.23",
  deprecated: { since: "1.26", removed: "1.29", replacement: "flowcontrol.apiserver.orch.io/v1beta3 FlowSchema" },
  fields: {
    spec: elided(inV1beta2(FlowSchemaSpec)).at(2).doc("The desired state of the flow schema, set by its users."),
    status: elided(inV1beta2(FlowSchemaStatus))
      .at(3)
      .doc("The most recently observed state of the flow schema, written by the system."),
  },
});
