/** Relations between fields of features that are off by default: tolerations and binding conditions. */

import { isLabelValue } from "../../../machinery/meta/names.ts";
import { on, type Relation } from "../../../machinery/schema/constraints.ts";
import type { Field } from "../../../machinery/schema/schema.ts";
import { invalid, noErrors, ofEach } from "../../../machinery/status/field-error.ts";
import { DeviceToleration } from "./device-claim.ts";

export const tolerationRelation: Relation = on(DeviceToleration, ({ operator, value = "" }) => {
  if (operator === "Exists") return value === "" ? noErrors : [invalid("value", value, "must be empty with Exists")];
  return operator === "Equal" ? isLabelValue(value).map((problem) => invalid("value", value, problem)) : noErrors;
});

interface BindingConditions {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

const togetherText = "must be given together with the other list of conditions";

/** Both lists or none, and no condition in both. */
export const bindingRelation = (struct: Field<BindingConditions>): Relation =>
  on(struct, ({ bindingConditions: wanted = [], bindingFailureConditions: failed = [] }) => {
    if (wanted.length === 0 && failed.length > 0) return [invalid("bindingConditions", wanted, togetherText)];
    if (failed.length === 0 && wanted.length > 0) return [invalid("bindingFailureConditions", failed, togetherText)];
    const all = new Set(wanted);
    return ofEach(failed, (type, at) =>
      all.has(type)
        ? [invalid(`bindingFailureConditions[${at}]`, type, "must not be in bindingConditions too")]
        : noErrors,
    );
  });
