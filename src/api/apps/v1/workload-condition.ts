/** Conditions of workloads. */

import { conditionFields } from "../../common-fields.ts";

export function workloadConditionFields(types?: string) {
  const { type, status, ...others } = conditionFields(types);
  return { type: type.listed(false, "1.37"), status: status.listed(false, "1.37"), ...others };
}
