/** A PriorityLevelConfiguration says how requests of one priority are limited and queued. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { keepMetadata } from "../../status-only.ts";
import { validatePriorityLevel } from "./validate-priority-level.ts";

export const QueuingConfiguration = struct("flowcontrol.v1beta1.QueuingConfiguration", {
  queues: int32().listed(false).at(1).default(64),
  handSize: int32().listed(false).at(2).default(8).doc("How many of the queues one flow may use."),
  queueLengthLimit: int32().listed(false).at(3).default(50).doc("Requests beyond this many in a queue are refused."),
});
export type QueuingConfiguration = Static<typeof QueuingConfiguration>;

export const LimitResponse = struct(
  "flowcontrol.v1beta1.LimitResponse",
  {
    type: string().at(1).doc("Queue or Reject."),
    queuing: optional(QueuingConfiguration).at(2),
  },
  { unions: [{ discriminator: "type", "fields-to-discriminateBy": { queuing: "Queuing" } }] },
);
export type LimitResponse = Static<typeof LimitResponse>;

export const LimitedPriorityLevelConfiguration = struct("flowcontrol.v1beta1.LimitedPriorityLevelConfiguration", {
  assuredConcurrencyShares: int32()
    .listed(false)
    .at(1)
    .default(30)
    .doc("The level's part of all requests that the server takes at a time."),
  limitResponse: elided(LimitResponse).at(2).doc("What becomes of requests beyond the limit."),
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
    type: string().at(1).doc("Exempt or Limited."),
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
  generation: true,
  validate: validatePriorityLevel,
  columns: (column) => [
    nameColumn,
    column("Type", ({ spec }) => spec?.type ?? ""),
    column("AssuredConcurrencyShares", ({ spec }) => spec?.limited?.assuredConcurrencyShares ?? "<none>"),
    column("Queues", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queues ?? "<none>"),
    column("HandSize", ({ spec }) => spec?.limited?.limitResponse?.queuing?.handSize ?? "<none>"),
    column("QueueLengthLimit", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queueLengthLimit ?? "<none>"),
    ageColumn,
  ],
  subresources: [
    status({ merge: keepMetadata, resets: ["metadata"], validate: (next) => validatePriorityLevel(next) }),
  ],
});
export type PriorityLevelConfiguration = Static<typeof PriorityLevelConfiguration>;
