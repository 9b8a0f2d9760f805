/** A PriorityClass gives a name to a pod priority. */

import { bool, elided, int32, optional, type Static, string } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { type FieldError, forbidden, noErrors } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";

export const PriorityClass = kind({
  group: "scheduling.orch.io",
  version: "v1",
  kind: "PriorityClass",
  resource: "priorityclasses",
  scope: "Cluster",
  shortNames: ["pc"],
  doc: "A PriorityClass gives a name to a pod priority.",
  fields: {
    value: int32()
      .listed(false, "1.36")
      .at(2)
      .immutable("may not be changed in an update")
      .before("1.28", (value) => value.reported("Value"))
      .doc(
        "The priority of pods of the class; higher is more important. Values of 1000000000 and more are reserved for the system.",
      ),
    globalDefault: elided(bool()).at(3).doc("Whether pods that name no class get this one. Default: false."),
    description: elided(string()).at(4).doc("A text for people on when to use the class."),
    preemptionPolicy: optional(string())
      .at(5)
      .default("PreemptLowerPriority")
      .filled()
      .oneOf(["PreemptLowerPriority", "Never"])
      .immutable()
      .behind("NonPreemptingPriority")
      .doc("PreemptLowerPriority, or Never to wait instead of evicting others. Default: PreemptLowerPriority."),
  },
  // Set once and never raised: only the descriptive fields of a class may change.
  prepareForCreate(one) {
    one.metadata.generation = 1;
  },
  refuseDelete: ({ metadata }) =>
    systemClasses.has(metadata.name ?? "") ? "this is a system priority class and cannot be deleted" : undefined,
  validate: validateClass,
  rulesOnUpdate: false,
  // What is checked of a new class is not checked again.
  validateUpdate: () => noErrors,
  columns: (column) => [
    nameColumn,
    column("Value", ({ value }) => value, { type: "integer" }),
    column("Global-Default", ({ globalDefault }) => globalDefault ?? false, { type: "boolean" }),
    ageColumn,
    column("PreemptionPolicy", ({ preemptionPolicy }) => preemptionPolicy ?? "", { since: "1.32" }),
  ],
});
export type PriorityClass = Static<typeof PriorityClass>;

/** The classes of the control plane itself, which alone may be above what users may give. */
export const systemClasses: ReadonlyMap<string, number> = new Map([
  ["system-cluster-critical", 2_000_000_000],
  ["system-node-critical", 2_000_001_000],
]);
const userPriorityMax = 1_000_000_000;

interface ClassParts {
  readonly metadata: ObjectMeta;
  readonly value: number;
  readonly globalDefault?: boolean;
}

function validateClass(one: ClassParts): FieldError[] {
  const errors: FieldError[] = [];
  const name = one.metadata.name ?? "";
  if (name.startsWith("system-")) {
    if (systemClasses.get(name) !== one.value || one.globalDefault) {
      errors.push(
        forbidden("metadata.name", "priority class names with 'system-' prefix are reserved for system use only"),
      );
    }
  } else if (one.value > userPriorityMax) {
    errors.push(forbidden("value", `maximum allowed value of a user defined priority is ${userPriorityMax}`));
  }
  return errors;
}
