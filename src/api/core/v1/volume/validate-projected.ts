/** The relation between the members of a source that fills a volume together with others. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import { forbidden } from "../../../../machinery/status/field-error.ts";
import { VolumeProjection } from "./object-files.ts";

export const projectedRelations: readonly Relation[] = [
  on(VolumeProjection, (projection) =>
    Object.values(projection).filter((value) => value !== undefined).length > 1
      ? [forbidden("", "may not specify more than 1 volume type")]
      : [],
  ),
];
