/** A FlowSchema sorts requests into priority levels. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { keepMetadata } from "../../status-only.ts";
import { type FlowSchemaCondition, FlowSchemaSpec, FlowSchemaStatus } from "./flow-schema-spec.ts";
import { flowSchemaRelations, validateFlowSchema } from "./validate-flow-schema.ts";

export const FlowSchema = kind({
  group: "flowcontrol.apiserver.orch.io",
  version: "v1beta1",
  deprecated: {
    since: "1.23",
    removed: "1.26",
    replacement: "flowcontrol.apiserver.orch.io/v1beta2 FlowSchema",
  },
  kind: "FlowSchema",
  resource: "flowschemas",
  scope: "Cluster",
  doc: "A FlowSchema sorts requests into priority levels.",
  fields: {
    spec: elided(FlowSchemaSpec).at(2).doc("The desired state of the flow schema, set by its users."),
    status: elided(FlowSchemaStatus)
      .at(3)
      .doc("The most recently observed state of the flow schema, written by the system."),
  },
  generation: true,
  relations: flowSchemaRelations,
  validate: validateFlowSchema,
  columns: (column) => [
    nameColumn,
    column("PriorityLevel", ({ spec }) => spec?.priorityLevelConfiguration.name ?? ""),
    column("MatchingPrecedence", ({ spec }) => spec?.matchingPrecedence ?? 0),
    column("DistinguisherMethod", ({ spec }) => spec?.distinguisherMethod?.type ?? "<none>"),
    ageColumn,
    column("MissingPL", (schema) => schema.status?.conditions?.find(isDangling)?.status ?? "?"),
  ],
  // In the order in which requests are matched.
  compat: { rowRank: ({ spec }) => spec?.matchingPrecedence ?? 0 },
  subresources: [
    status({
      merge: keepMetadata,
      resets: ["metadata"],
      validate: (next, _old, environment) => validateFlowSchema(next, environment),
    }),
  ],
});
export type FlowSchema = Static<typeof FlowSchema>;

/** Says whether the priority level of a schema is missing. */
export const danglingCondition = "Dangling";
const isDangling = ({ type }: FlowSchemaCondition) => type === danglingCondition;
