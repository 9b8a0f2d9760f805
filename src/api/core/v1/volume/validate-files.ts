/** Relations between the fields of files that a volume consists of. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { type FieldErrors, invalid, required } from "../../../../machinery/status/field-error.ts";
import { fileFieldPaths, validateFieldRef, validateResourceFieldRef } from "../pod/downward-api.ts";
import { DownwardAPIVolumeFile } from "./object-files.ts";

export const fileRelations: readonly Relation[] = [on(DownwardAPIVolumeFile, validateFile)];

function validateFile({ fieldRef, resourceFieldRef }: DownwardAPIVolumeFile, environment: Environment): FieldErrors {
  if (fieldRef) {
    const problem = "fieldRef and resourceFieldRef can not be specified simultaneously";
    return [
      ...validateFieldRef(fieldRef, fileFieldPaths, "fieldRef", environment),
      ...(resourceFieldRef ? [invalid("", "resource", problem)] : []),
    ];
  }
  return resourceFieldRef
    ? validateResourceFieldRef(resourceFieldRef, "resourceFieldRef", environment, { inVolume: true })
    : [required("", "one of fieldRef and resourceFieldRef is required")];
}
