/** Relations between the fields of a container's environment. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { FieldError, FieldErrors } from "../../../../machinery/status/field-error.ts";
import { invalid, noErrors } from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import { EnvFromSource, EnvVar } from "./container-env.ts";
import {
  validateFieldRef,
  validateResourceFieldRef,
  variableFieldPaths,
  variableFieldPathsSince128,
} from "./downward-api.ts";

export const envRelations: readonly Relation[] = [
  on(EnvVar, (variable, environment) => validateValueFrom(variable, "valueFrom", environment)),
  on(EnvFromSource, ({ configMapRef, secretRef }) => {
    if (configMapRef && secretRef) return [invalid("..", "", "may not have more than one field specified at a time")];
    return configMapRef || secretRef
      ? noErrors
      : [invalid("..", "", "must specify one of: `configMapRef` or `secretRef`")];
  }),
];

function validateValueFrom(variable: EnvVar, path: string, environment: Environment): FieldErrors {
  const source = variable.valueFrom;
  if (source === undefined) return noErrors;
  const errors: FieldError[] = [];
  const given = Object.keys(source).length;
  const paths = has(environment, "variablesOfHosts") ? variableFieldPathsSince128 : variableFieldPaths;
  if (source.fieldRef) errors.push(...validateFieldRef(source.fieldRef, paths, `${path}.fieldRef`, environment));
  if (source.resourceFieldRef) {
    errors.push(...validateResourceFieldRef(source.resourceFieldRef, `${path}.resourceFieldRef`, environment));
  }
  if (given === 0)
    errors.push(
      invalid(path, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"),
    );
  else if (variable.value) {
    errors.push(invalid(path, "", "may not be specified when `value` is not empty"));
  } else if (given > 1) errors.push(invalid(path, "", "may not have more than one field specified at a time"));
  return errors;
}
