/** Relations between the sources that fill one volume. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import { type FieldError, type FieldErrors, forbidden, invalid } from "../../../../machinery/status/field-error.ts";
import { ProjectedVolumeSource, VolumeProjection } from "./volume.ts";

export const projectedRelations: readonly Relation[] = [
  on(VolumeProjection, (projection) =>
    Object.values(projection).filter((value) => value !== undefined).length > 1
      ? [forbidden("", "may not specify more than 1 volume type")]
      : [],
  ),
  on(ProjectedVolumeSource, validatePaths),
];

/** No two sources may have a file of the same path. Tokens are not compared, as in v1.21. */
function validatePaths({ sources }: ProjectedVolumeSource): FieldErrors {
  const errors: FieldError[] = [];
  const paths = new Set<string>();
  for (const { secret, downwardAPI, configMap } of sources ?? []) {
    const items: readonly { readonly path: string }[][] = [secret, downwardAPI, configMap].map(
      (one) => one?.items ?? [],
    );
    for (const { path } of items.flat()) {
      if (path === "") continue;
      if (paths.has(path)) errors.push(invalid("", path, "conflicting duplicate paths"));
      paths.add(path);
    }
  }
  return errors;
}
