/** PriorityLevelConfiguration in v1beta3: shares have the name that they have in v1. */

import { given } from "../../../machinery/json/json-value.ts";
import { elided, int32, optional, string, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { createRetyped } from "../../../machinery/schema/retyped.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import {
  borrowingFields,
  ExemptPriorityLevelConfiguration,
  specFromHub,
  specToHub,
  specUnions,
} from "../v1/priority-level-configuration.ts";
import { PriorityLevelConfiguration as Hub } from "../v1beta1/priority-level-configuration.ts";
import { LimitResponse, PriorityLevelConfigurationStatus } from "../v1beta1/priority-level-spec.ts";
import { inV1beta3 } from "./flow-schema.ts";

const LimitedPriorityLevelConfiguration = struct("flowcontrol.v1beta3.LimitedPriorityLevelConfiguration", {
  nominalConcurrencyShares: int32()
    .listed(false)
    .at(1)
    .default(30)
    .doc("The level's share of the server's seats, before lending and borrowing. Default: 30."),
  limitResponse: elided(inV1beta3(LimitResponse)).at(2).doc("What happens to requests over the limit."),
  ...borrowingFields,
});

const exempt = createRetyped("flowcontrol.v1", "flowcontrol.v1beta3")(ExemptPriorityLevelConfiguration);

const PriorityLevelConfigurationSpec = struct(
  "flowcontrol.v1beta3.PriorityLevelConfigurationSpec",
  {
    type: string().at(1).doc("Exempt for no limit, or Limited."),
    limited: optional(LimitedPriorityLevelConfiguration).at(2).doc("How requests are limited; only with type Limited."),
    exempt: optional(exempt).at(3).since("1.28").doc("What is set aside for the level; only with type Exempt."),
  },
  { unions: specUnions.before, from: { "1.28": { unions: specUnions.after } } },
);

export const PriorityLevelConfiguration = version(Hub, {
  version: "v1beta3",
  since: "1.26",
  deprecated: {
    since: "1.29",
    removed: "1.32",
    replacement: "flowcontrol.apiserver.orch.io/v1 PriorityLevelConfiguration",
  },
  fields: {
    spec: elided(PriorityLevelConfigurationSpec)
      .at(2)
      .doc("The desired state of the priority level configuration, set by its users."),
    status: elided(inV1beta3(PriorityLevelConfigurationStatus))
      .at(3)
      .doc("The most recently observed state of the priority level configuration, written by the system."),
  },
  columns: (column) => [
    nameColumn,
    column("Type", ({ spec }) => spec?.type ?? ""),
    column("NominalConcurrencyShares", ({ spec }) => spec?.limited?.nominalConcurrencyShares ?? "<none>"),
    column("Queues", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queues ?? "<none>"),
    column("HandSize", ({ spec }) => spec?.limited?.limitResponse?.queuing?.handSize ?? "<none>"),
    column("QueueLengthLimit", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queueLengthLimit ?? "<none>"),
    ageColumn,
  ],
  toHub: ({ spec, ...same }) => ({ ...same, ...given({ spec: spec && specToHub(spec) }) }),
  fromHub: ({ spec, ...same }) => ({ ...same, ...given({ spec: spec && specFromHub(spec) }) }),
});
