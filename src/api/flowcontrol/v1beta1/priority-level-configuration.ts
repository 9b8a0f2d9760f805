/** A PriorityLevelConfiguration says how requests of one priority are limited and queued. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";

export const QueuingConfiguration = struct("flowcontrol.v1beta1.QueuingConfiguration", {
  queues: optional(int32()).at(1),
  handSize: optional(int32()).at(2),
  queueLengthLimit: optional(int32()).at(3),
});
export type QueuingConfiguration = Static<typeof QueuingConfiguration>;

export const LimitResponse = struct(
  "flowcontrol.v1beta1.LimitResponse",
  {
    type: string().at(1),
    queuing: optional(QueuingConfiguration).at(2),
  },
  { unions: [{ discriminator: "type", "fields-to-discriminateBy": { queuing: "Queuing" } }] },
);
export type LimitResponse = Static<typeof LimitResponse>;

export const LimitedPriorityLevelConfiguration = struct("flowcontrol.v1beta1.LimitedPriorityLevelConfiguration", {
  assuredConcurrencyShares: optional(int32()).at(1),
  limitResponse: optional(LimitResponse).at(2),
});
export type LimitedPriorityLevelConfiguration = Static<typeof LimitedPriorityLevelConfiguration>;

export const PriorityLevelConfigurationCondition = struct("flowcontrol.v1beta1.PriorityLevelConfigurationCondition", {
  type: elided(string()).at(1),
  status: elided(string()).at(2),
  lastTransitionTime: elided(time()).at(3),
  reason: elided(string()).at(4),
  message: elided(string()).at(5),
});
export type PriorityLevelConfigurationCondition = Static<typeof PriorityLevelConfigurationCondition>;

export const PriorityLevelConfigurationSpec = struct(
  "flowcontrol.v1beta1.PriorityLevelConfigurationSpec",
  {
    type: string().at(1),
    limited: optional(LimitedPriorityLevelConfiguration).at(2),
  },
  { unions: [{ discriminator: "type", "fields-to-discriminateBy": { limited: "Limited" } }] },
);
export type PriorityLevelConfigurationSpec = Static<typeof PriorityLevelConfigurationSpec>;

export const PriorityLevelConfigurationStatus = struct("flowcontrol.v1beta1.PriorityLevelConfigurationStatus", {
  conditions: elided(list(PriorityLevelConfigurationCondition, { topology: "map", keys: ["type"] })).at(1),
});
export type PriorityLevelConfigurationStatus = Static<typeof PriorityLevelConfigurationStatus>;

export const PriorityLevelConfiguration = kind({
  group: "flowcontrol.apiserver.orch.io",
  version: "v1beta1",
  kind: "PriorityLevelConfiguration",
  resource: "prioritylevelconfigurations",
  scope: "Cluster",
  doc: "A PriorityLevelConfiguration says how requests of one priority are limited and queued.",
  fields: {
    spec: elided(PriorityLevelConfigurationSpec).at(2),
    status: elided(PriorityLevelConfigurationStatus).at(3),
  },
  subresources: [status()],
});
export type PriorityLevelConfiguration = Static<typeof PriorityLevelConfiguration>;
