/** Relations in the spec of a claim, in claims and in volumes of pods. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import { sameValue } from "../../../../machinery/schema/same-value.ts";
import { invalid, required } from "../../../../machinery/status/field-error.ts";
import { compareAmounts } from "../../../../machinery/values/quantity.ts";
import { PersistentVolumeClaimSpec, validateAccessModes } from "./persistent-volume-claim-spec.ts";

/** Resources other than storage are not checked. */
export const claimRelations: readonly Relation[] = [
  on(PersistentVolumeClaimSpec, ({ resources }) => {
    const storage = resources?.requests?.["storage"];
    if (storage === undefined) return [required("resources[storage]")];
    return compareAmounts(storage, "0") > 0
      ? []
      : [invalid("resources[storage]", storage, "must be greater than zero")];
  }),
  on(PersistentVolumeClaimSpec, validateAccessModes, { since: "1.22" }),
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
