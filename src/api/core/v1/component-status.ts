/** A ComponentStatus shows whether a component of the control plane is healthy; kept for old clients. */

import { elided, list, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { nameColumn } from "../../columns.ts";

export const ComponentCondition = struct("core.v1.ComponentCondition", {
  type: string().at(1).doc("The type of the condition, which is always Healthy."),
  status: string()
    .at(2)
    .doc("True when the component answered its health check, False when it did not, Unknown when nothing is known."),
  message: elided(string()).at(3).doc("The answer of the health check, or its error."),
  error: elided(string()).at(4).doc("Details of a failed check; empty when the component is healthy."),
});
export type ComponentCondition = Static<typeof ComponentCondition>;

export const ComponentStatus = kind({
  group: "",
  version: "v1",
  kind: "ComponentStatus",
  resource: "componentstatuses",
  deprecated: { since: "1.19" },
  scope: "Cluster",
  shortNames: ["cs"],
  verbs: ["get", "list"],
  doc: "A ComponentStatus shows whether a component of the control plane is healthy; kept for old clients.",
  fields: {
    conditions: elided(list(ComponentCondition, { patchStrategy: "merge", patchMergeKey: "type" }))
      .at(2)
      .doc("The health of the component, as one condition of the type Healthy."),
  },
  columns: (column) => [
    nameColumn,
    column("Status", (component) => {
      const healthy = healthOf(component);
      return healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
    }),
    column("Message", (component) => healthOf(component)?.message ?? ""),
    column("Error", (component) => healthOf(component)?.error ?? ""),
  ],
});
export type ComponentStatus = Static<typeof ComponentStatus>;

const healthOf = ({ conditions = [] }: { conditions?: ComponentCondition[] }): ComponentCondition | undefined =>
  conditions.find(({ type }) => type === "Healthy");
