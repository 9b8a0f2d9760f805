/** FlowSchema in v1: the same shape as v1beta1. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { createRetyped } from "../../../machinery/schema/retyped.ts";
import { FlowSchema as Hub } from "../v1beta1/flow-schema.ts";
import { FlowSchemaSpec, FlowSchemaStatus } from "../v1beta1/flow-schema-spec.ts";

export const inV1 = createRetyped("flowcontrol.v1beta1", "flowcontrol.v1");

export const FlowSchema = version(Hub, {
  version: "v1",
  since: "1.29",
  fields: {
    spec: elided(inV1(FlowSchemaSpec))
      .listed(true, "1.37")
      .at(2)
      .doc("The desired state of the flow schema, set by its users."),
    status: elided(inV1(FlowSchemaStatus))
      .at(3)
      .doc("The most recently observed state of the flow schema, written by the system."),
  },
});
export type FlowSchema = Static<typeof FlowSchema>;
