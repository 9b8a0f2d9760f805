/** Lets a claim grow only if its storage class allows volume expansion. */

import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { storageClassOf } from "../../api/core/v1/volume/storage-columns.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import { compareAmounts } from "../../machinery/values/quantity.ts";
import { type AdmissionContext, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin } from "../on.ts";

export function createPersistentVolumeClaimResize(context: AdmissionContext): AdmissionPlugin {
  const { environment } = context.catalog;
  const classes = context.catalog.of(StorageClass);
  return plugin("PersistentVolumeClaimResize", [
    on(PersistentVolumeClaim, "UPDATE", {
      validate(request) {
        const { object: claim, old } = request;
        if (compareAmounts(sizeOf(claim), sizeOf(old)) <= 0) return;
        if (old.status?.phase !== "Bound") throw refuse(request, "only bound claims can be expanded");
        const name = storageClassOf(claim, environment);
        const isKept = name !== "" && name === storageClassOf(old, environment);
        const found = isKept ? lookUp(context, classes, { namespace: "", name }) : undefined;
        const check = (storageClass: StorageClass | undefined) => {
          if (storageClass?.allowVolumeExpansion === true) return;
          throw refuse(request, "the storage class of the claim does not allow volumes to be expanded");
        };
        return found instanceof Promise ? found.then(check) : check(found);
      },
    }),
  ]);
}

const sizeOf = ({ spec }: PersistentVolumeClaim): string => spec?.resources?.requests?.["storage"] ?? "0";
