/** Relations in the spec of a claim, in claims and in volumes of pods. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import { sameValue } from "../../../../machinery/schema/same-value.ts";
import { invalid } from "../../../../machinery/status/field-error.ts";
import { PersistentVolumeClaimSpec } from "./persistent-volume-claim-spec.ts";

export const claimRelations: readonly Relation[] = [
  on(
    PersistentVolumeClaimSpec,
    ({ dataSource, dataSourceRef }) => {
      if (!dataSource || !dataSourceRef || dataSourceRef.namespace) return [];
      return sameValue(dataSource, dataSourceRef)
        ? []
        : [invalid("", dataSource, "dataSource must match dataSourceRef")];
    },
    { since: "1.24" },
  ),
];
