/** The fields of priority levels. */

import { elided, int32, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { changeFields } from "../../common-fields.ts";

export const queuesMax = 10_000_000;
const positive = "must be positive";

export const QueuingConfiguration = struct("flowcontrol.v1beta1.QueuingConfiguration", {
  queues: int32()
    .listed(false)
    .at(1)
    .default(64)
    .atLeast(1, positive)
    .atMost(queuesMax, `must not be more than ${queuesMax}`)
    .doc("The number of queues. Default: 64."),
  handSize: int32()
    .listed(false)
    .at(2)
    .default(8)
    .atLeast(1, positive)
    .doc("How many queues one flow may use. Default: 8."),
  queueLengthLimit: int32()
    .listed(false)
    .at(3)
    .default(50)
    .atLeast(1, positive)
    .doc("The highest number of requests that may wait in a queue; more are rejected. Default: 50."),
});
export type QueuingConfiguration = Static<typeof QueuingConfiguration>;

export const LimitResponse = struct(
  "flowcontrol.v1beta1.LimitResponse",
  {
    type: string()
      .at(1)
      .oneOf(["Queue", "Reject"])
      .openApiEnum("none")
      .doc("What happens to requests over the limit: Queue or Reject."),
    queuing: optional(QueuingConfiguration).at(2).doc("How requests wait; only with type Queue."),
  },
  { unions: [{ discriminator: "type", "fields-to-discriminateBy": { queuing: "Queuing" } }] },
);
export type LimitResponse = Static<typeof LimitResponse>;

const LimitedPriorityLevelConfiguration = struct("flowcontrol.v1beta1.LimitedPriorityLevelConfiguration", {
  assuredConcurrencyShares: int32()
    .listed(false)
    .at(1)
    .default(30)
    .atLeast(1, positive)
    .from("1.29", (before) =>
      int32().listed(false).at(1).default(30).atLeast(0).reported("nominalConcurrencyShares").doc(before.description),
    )
    .doc("The share of the server's concurrent requests that the level is assured of. Default: 30."),
  limitResponse: elided(LimitResponse).at(2).doc("What happens to requests over the limit."),
  // Clients see the following only in v1.
  lendablePercent: optional(int32())
    .at(3)
    .since("1.26")
    .atLeast(0)
    .atMost(100)
    .doc("How many percent of its seats other levels may borrow."),
  borrowingLimitPercent: optional(int32())
    .at(4)
    .since("1.26")
    .atLeast(0)
    .doc("How many seats the level may borrow, in percent."),
});

const PriorityLevelConfigurationCondition = struct("flowcontrol.v1beta1.PriorityLevelConfigurationCondition", {
  type: elided(string())
    .listed(true, "1.37")
    .required()
    .at(1)
    .doc("The aspect of the priority level that the condition reports."),
  status: elided(string()).at(2).doc("Whether the condition holds: True, False or Unknown."),
  ...changeFields(3),
});

const ExemptPriorityLevelConfiguration = struct("flowcontrol.v1beta1.ExemptPriorityLevelConfiguration", {
  nominalConcurrencyShares: optional(int32())
    .at(1)
    .atLeast(0)
    .doc("The share of the server's seats set aside for the level."),
  lendablePercent: optional(int32())
    .at(2)
    .atLeast(0)
    .atMost(100)
    .doc("How many percent of these seats other levels may borrow."),
});

export const PriorityLevelConfigurationSpec = struct(
  "flowcontrol.v1beta1.PriorityLevelConfigurationSpec",
  {
    type: string().at(1).oneOf(["Exempt", "Limited"]).openApiEnum("none").doc("Exempt for no limit, or Limited."),
    limited: optional(LimitedPriorityLevelConfiguration).at(2).doc("How requests are limited; only with type Limited."),
    exempt: optional(ExemptPriorityLevelConfiguration).at(3).since("1.28").doc("What is set aside for the level."),
  },
  { unions: [{ discriminator: "type", "fields-to-discriminateBy": { limited: "Limited" } }] },
);
export type PriorityLevelConfigurationSpec = Static<typeof PriorityLevelConfigurationSpec>;

export const PriorityLevelConfigurationStatus = struct("flowcontrol.v1beta1.PriorityLevelConfigurationStatus", {
  conditions: elided(
    list(PriorityLevelConfigurationCondition, {
      topology: "map",
      keys: ["type"],
      from: { "1.26": { patchStrategy: "merge", patchMergeKey: "type" } },
    }),
  )
    .uniqueBy("type", { isAbsentCompared: true })
    .at(1)
    .doc("The current state of the object, one entry for each condition type."),
});
export type PriorityLevelConfigurationStatus = Static<typeof PriorityLevelConfigurationStatus>;
