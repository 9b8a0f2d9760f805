/** Lets a claim grow only where its storage class says that volumes can. */

import { compareAmounts } from "../../api/amounts.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { storageClassOf } from "../../api/core/v1/storage-columns.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { type AdmissionContext, findKind, isAbout, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";

export function createPersistentVolumeClaimResize(context: AdmissionContext): AdmissionPlugin {
  const { environment } = context.catalog;
  return {
    name: "PersistentVolumeClaimResize",
    handles: (request) => request.operation === "UPDATE" && isAbout(request, "", "persistentvolumeclaims"),
    validate(request) {
      // Told apart by `handles`.
      const claim = request.object as unknown as PersistentVolumeClaim;
      const old = request.old as unknown as PersistentVolumeClaim;
      if (compareAmounts(sizeOf(claim), sizeOf(old)) <= 0) return;
      if (old.status?.phase !== "Bound") throw refuse(request, "only bound claims can be expanded");
      const name = storageClassOf(claim, environment);
      const kind = findKind(context, "storage.orch.io", "v1", "storageclasses");
      const isKept = name !== "" && name === storageClassOf(old, environment);
      const found = kind === undefined || !isKept ? undefined : lookUp(context, kind, { namespace: "", name });
      const judge = (storageClass: ApiObject | undefined) => {
        if (storageClass?.["allowVolumeExpansion"] === true) return;
        throw refuse(request, "the storage class of the claim does not allow volumes to be expanded");
      };
      return found instanceof Promise ? found.then(judge) : judge(found);
    },
  };
}

const sizeOf = ({ spec }: PersistentVolumeClaim): string => spec?.resources?.requests?.["storage"] ?? "0";
