/** PriorityLevelConfiguration in v1beta2: the shape of v1beta1, and levels may lend and borrow seats. */

import { elided, int32, optional, string, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { createRetyped } from "../../../machinery/schema/retyped.ts";
import { borrowingFields, ExemptPriorityLevelConfiguration, specUnions } from "../v1/priority-level-configuration.ts";
import { PriorityLevelConfiguration as Hub } from "../v1beta1/priority-level-configuration.ts";
import { LimitResponse, PriorityLevelConfigurationStatus } from "../v1beta1/priority-level-spec.ts";
import { inV1beta2 } from "./flow-schema.ts";

const LimitedPriorityLevelConfiguration = struct("flowcontrol.v1beta2.LimitedPriorityLevelConfiguration", {
  assuredConcurrencyShares: int32()
    .listed(false)
    .at(1)
    .default(30)
    .doc("The share of the server's concurrent requests that the level is assured of. Default: 30."),
  limitResponse: elided(inV1beta2(LimitResponse)).at(2).doc("What happens to requests over the limit."),
  lendablePercent: borrowingFields.lendablePercent.since("1.26"),
  borrowingLimitPercent: borrowingFields.borrowingLimitPercent.since("1.26"),
});

const exempt = createRetyped("flowcontrol.v1", "flowcontrol.v1beta2")(ExemptPriorityLevelConfiguration);

const PriorityLevelConfigurationSpec = struct(
  "flowcontrol.v1beta2.PriorityLevelConfigurationSpec",
  {
    type: string().at(1).doc("Exempt for no limit, or Limited."),
    limited: optional(LimitedPriorityLevelConfiguration).at(2).doc("How requests are limited; only with type Limited."),
    exempt: optional(exempt).at(3).since("1.28").doc("What is set aside for the level; only with type Exempt."),
  },
  { unions: specUnions.before, from: { "1.28": { unions: specUnions.after } } },
);

export const PriorityLevelConfiguration = version(Hub, {
  version: "v1beta2",
  since: "1.23",
  deprecated: {
    since: "1.26",
    removed: "1.29",
    replacement: "flowcontrol.apiserver.orch.io/v1beta3 PriorityLevelConfiguration",
  },
  fields: {
    spec: elided(PriorityLevelConfigurationSpec)
      .at(2)
      .doc("The desired state of the priority level configuration, set by its users."),
    status: elided(inV1beta2(PriorityLevelConfigurationStatus))
      .at(3)
      .doc("The most recently observed state of the priority level configuration, written by the system."),
  },
});
