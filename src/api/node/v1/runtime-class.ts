/** A RuntimeClass names a way of running containers. */

import { validateLabels } from "../../../machinery/meta/labels.ts";
import { elided, list, map, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { addTo, duplicate, type FieldError } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { resourceList } from "../../common-fields.ts";
import { Toleration } from "../../core/v1/pod/scheduling.ts";
import { validateResourceRequirements } from "../../core/v1/pod/validate-resources.ts";
import { schedulingRelations } from "../../core/v1/pod/validate-scheduling.ts";
import { labelWarning } from "../../core/v1/volume/warnings.ts";
import { has } from "../../features.ts";

export const Overhead = struct("node.v1.Overhead", {
  podFixed: elided(resourceList()).at(1).doc("Resources that every pod of the class uses on top of its containers."),
});
export type Overhead = Static<typeof Overhead>;

export const Scheduling = struct("node.v1.Scheduling", {
  nodeSelector: elided(map(string(), { from: { "1.22": { topology: "atomic" } } }))
    .at(1)
    .checked(validateLabels)
    .doc("Labels of the nodes that support the class; merged into spec.nodeSelector of pods."),
  tolerations: elided(list(Toleration, { topology: "atomic" }))
    .at(2)
    .before("1.33", (tolerations) => tolerations.reported("tolerations.tolerations"))
    .doc("Tolerations added to pods of the class."),
});
export type Scheduling = Static<typeof Scheduling>;

export const RuntimeClass = kind({
  group: "node.orch.io",
  version: "v1",
  kind: "RuntimeClass",
  resource: "runtimeclasses",
  scope: "Cluster",
  doc: "A RuntimeClass names a way of running containers.",
  fields: {
    handler: string()
      .at(2)
      .from("1.36", (handler) => handler.required())
      .named("label")
      .immutable()
      .doc("The configuration of the container runtime to use; cannot be changed."),
    overhead: optional(Overhead)
      .at(3)
      .behind("PodOverhead")
      .doc("Resources that running a pod costs on top of its containers."),
    scheduling: optional(Scheduling).at(4).doc("Which nodes support the class. Absent: all."),
  },
  createOnUpdate: true,
  unconditionalUpdate: false,
  plainFinalizers: true,
  relations: schedulingRelations,
  validate: validateClass,
  warnings: ({ scheduling }, _old, environment) =>
    has(environment, "storageWarnings")
      ? Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) =>
          labelWarning(key, "scheduling.nodeSelector", environment),
        )
      : [],
  columns: (column) => [nameColumn, column("Handler", ({ handler }) => handler), ageColumn],
});
export type RuntimeClass = Static<typeof RuntimeClass>;

interface ClassParts {
  readonly overhead?: Overhead;
  readonly scheduling?: Scheduling;
}

function validateClass({ overhead, scheduling }: ClassParts, environment: Environment): FieldError[] {
  const errors: FieldError[] = [];
  // v1.21 validates overhead like the limits of a container.
  addTo(errors, validateResourceRequirements({ limits: overhead?.podFixed ?? {} }, "overhead", environment));
  const tolerations = scheduling?.tolerations ?? [];
  const seen = new Set<string>();
  tolerations.forEach((toleration, index) => {
    const { key, operator, value, effect } = toleration; // tolerationSeconds does not count
    const text = JSON.stringify([key, operator, value, effect]);
    if (seen.has(text)) errors.push(duplicate(`scheduling.tolerations[${index}]`, toleration));
    seen.add(text);
  });
  return errors;
}
