/** Fields that a definition has indexed for questions (`where`): an annotation with their paths. */

import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { type FieldError, invalid, tooMany } from "../../../machinery/status/field-error.ts";

/** ".spec.color, .spec.size": an annotation, because clients that know only v1.21's fields of schemas drop all others. */
const indexesAnnotation = "queries.orch.io/indexes";

/** Each is read from every object that is written. */
export const indexesMax = 8;

/** `.a.b`: names without brackets. */
const plainPath = /^(?:\.[^.[\]\s]+)+$/;

const pathsIn = (text: string): readonly string[] => text.split(",").map((path) => path.trim());

/** As objects are read by: "spec.color". A path that is not one has been refused, or was there before this server. */
export function indexedPaths({ annotations }: Pick<ObjectMeta, "annotations">): readonly string[] {
  const text = annotations?.[indexesAnnotation];
  if (text === undefined) return [];
  return [...new Set(pathsIn(text).filter((path) => plainPath.test(path)))]
    .slice(0, indexesMax)
    .map((path) => path.slice(1));
}

export function validateIndexes({ annotations }: Pick<ObjectMeta, "annotations">): FieldError[] {
  const text = annotations?.[indexesAnnotation];
  if (text === undefined) return [];
  const at = `metadata.annotations[${indexesAnnotation}]`;
  const paths = pathsIn(text);
  if (paths.length > indexesMax) return [tooMany(at, paths.length, indexesMax)];
  return paths
    .filter((path) => !plainPath.test(path))
    .map((path) => invalid(at, path, "must be paths of fields with commas in between, such as .spec.color"));
}
