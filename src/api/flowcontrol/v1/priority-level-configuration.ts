/** PriorityLevelConfiguration in v1: shares have another name, and levels may lend and borrow seats. */

import { given } from "../../../machinery/json/json-value.ts";
import { elided, int32, nullable, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { PriorityLevelConfiguration as Hub } from "../v1beta1/priority-level-configuration.ts";
import {
  type PriorityLevelConfigurationSpec as HubSpec,
  LimitResponse,
  PriorityLevelConfigurationStatus,
} from "../v1beta1/priority-level-spec.ts";
import { inV1 } from "./flow-schema.ts";

/** Since 1.26 levels lend seats to others and borrow from them. */
export const borrowingFields = {
  lendablePercent: optional(int32())
    .at(3)
    .default(0)
    .doc("How many percent of its seats other levels may borrow, 0 to 100. Default: 0."),
  borrowingLimitPercent: optional(int32())
    .at(4)
    .doc("How many seats the level may borrow, in percent of its own. Absent: no limit."),
};

/** OpenAPI names the member for each type of level: exempt levels have one since 1.28. */
export const specUnions = {
  before: [{ discriminator: "type", "fields-to-discriminateBy": { limited: "Limited" } }],
  after: [{ discriminator: "type", "fields-to-discriminateBy": { exempt: "Exempt", limited: "Limited" } }],
};

const LimitedPriorityLevelConfiguration = struct("flowcontrol.v1.LimitedPriorityLevelConfiguration", {
  nominalConcurrencyShares: nullable(int32())
    .listed(false)
    .at(1)
    .default(30)
    .doc("The level's share of the server's seats, before lending and borrowing. Default: 30."),
  limitResponse: elided(inV1(LimitResponse)).listed(true, "1.37").at(2).doc("What happens to requests over the limit."),
  ...borrowingFields,
});

export const ExemptPriorityLevelConfiguration = struct("flowcontrol.v1.ExemptPriorityLevelConfiguration", {
  nominalConcurrencyShares: optional(int32())
    .at(1)
    .default(0)
    .doc("The share of the server's seats that is set aside for the level. Default: 0."),
  lendablePercent: optional(int32())
    .at(2)
    .default(0)
    .doc("How many percent of these seats other levels may borrow, 0 to 100. Default: 0."),
});

const PriorityLevelConfigurationSpec = struct(
  "flowcontrol.v1.PriorityLevelConfigurationSpec",
  {
    type: string().at(1).doc("Exempt for no limit, or Limited."),
    limited: optional(LimitedPriorityLevelConfiguration).at(2).doc("How requests are limited; only with type Limited."),
    exempt: optional(ExemptPriorityLevelConfiguration)
      .at(3)
      .doc("What is set aside for the level; only with type Exempt."),
  },
  {
    unions: specUnions.after,
  },
);
type PriorityLevelConfigurationSpec = Static<typeof PriorityLevelConfigurationSpec>;

export const PriorityLevelConfiguration = version(Hub, {
  version: "v1",
  since: "1.29",
  fields: {
    spec: elided(PriorityLevelConfigurationSpec)
      .listed(true, "1.37")
      .at(2)
      .doc("The desired state of the priority level configuration, set by its users."),
    status: elided(inV1(PriorityLevelConfigurationStatus))
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
export type PriorityLevelConfiguration = Static<typeof PriorityLevelConfiguration>;

/** v1beta3 has the same shape and names. */
export function specToHub({ limited, ...same }: PriorityLevelConfigurationSpec): HubSpec {
  if (limited === undefined) return same;
  const { nominalConcurrencyShares: shares = 0, ...rest } = limited;
  return { ...same, limited: { assuredConcurrencyShares: shares, ...rest } };
}

export function specFromHub({ limited, ...same }: HubSpec) {
  if (limited === undefined) return same;
  const { assuredConcurrencyShares: shares, ...rest } = limited;
  return { ...same, limited: { nominalConcurrencyShares: shares, ...rest } };
}
