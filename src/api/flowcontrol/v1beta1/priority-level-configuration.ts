/** A PriorityLevelConfiguration says how requests of one priority are limited and queued. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { keepMetadata } from "../../status-only.ts";
import { PriorityLevelConfigurationSpec, PriorityLevelConfigurationStatus } from "./priority-level-spec.ts";
import { priorityLevelRelations, validatePriorityLevel } from "./validate-priority-level.ts";

export const PriorityLevelConfiguration = kind({
  group: "flowcontrol.apiserver.orch.io",
  version: "v1beta1",
  deprecated: {
    since: "1.23",
    removed: "1.26",
    replacement: "flowcontrol.apiserver.orch.io/v1beta2 PriorityLevelConfiguration",
  },
  kind: "PriorityLevelConfiguration",
  resource: "prioritylevelconfigurations",
  scope: "Cluster",
  doc: "A PriorityLevelConfiguration says how requests of one priority are limited and queued.",
  fields: {
    spec: elided(PriorityLevelConfigurationSpec)
      .at(2)
      .doc("The desired state of the priority level configuration, set by its users."),
    status: elided(PriorityLevelConfigurationStatus)
      .at(3)
      .doc("The most recently observed state of the priority level configuration, written by the system."),
  },
  generation: true,
  relations: priorityLevelRelations,
  validate: validatePriorityLevel,
  columns: (column) => [
    nameColumn,
    column("Type", ({ spec }) => spec?.type ?? ""),
    column("AssuredConcurrencyShares", ({ spec }) => spec?.limited?.assuredConcurrencyShares ?? "<none>", {
      until: "1.26",
    }),
    column("NominalConcurrencyShares", ({ spec }) => spec?.limited?.assuredConcurrencyShares ?? "<none>", {
      since: "1.26",
    }),
    column("Queues", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queues ?? "<none>"),
    column("HandSize", ({ spec }) => spec?.limited?.limitResponse?.queuing?.handSize ?? "<none>"),
    column("QueueLengthLimit", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queueLengthLimit ?? "<none>"),
    ageColumn,
  ],
  subresources: [
    status({
      merge: keepMetadata,
      resets: ["metadata"],
      validate: (next, _old, environment) => validatePriorityLevel(next, environment),
    }),
  ],
});
export type PriorityLevelConfiguration = Static<typeof PriorityLevelConfiguration>;
