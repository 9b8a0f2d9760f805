/** The annotation that asks for endpoints of the same zone, and its older name. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { type FieldErrors, invalid, noErrors } from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";

export const topologyAnnotations = ({ vocabulary }: Environment) => ({
  hints: vocabulary.word("service.orch.io/topology-aware-hints"),
  mode: vocabulary.word("service.orch.io/topology-mode"),
});

/** A service with both says the same twice. */
export function validateTopologyAnnotations({ annotations = {} }: ObjectMeta, environment: Environment): FieldErrors {
  if (!has(environment, "topologyModes")) return noErrors;
  const { hints, mode } = topologyAnnotations(environment);
  const [old, given] = [annotations[hints], annotations[mode]];
  if (old === undefined || given === undefined || old === given) return noErrors;
  return [invalid(`metadata.annotations[${mode}]`, given, `must match annotations[${hints}] when both are specified`)];
}
