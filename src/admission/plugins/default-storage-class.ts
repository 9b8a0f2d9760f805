/** Sets the default storage class of claims that name none. */

import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { storageClassAnnotation } from "../../api/core/v1/volume/storage-columns.ts";
import { storageClassMarks } from "../../api/default-class.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import type { AdmissionContext } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { defaultClass } from "../default-class.ts";
import { on, plugin } from "../on.ts";

const classes = { kind: StorageClass, marks: storageClassMarks };

export function createDefaultStorageClass(context: AdmissionContext): AdmissionPlugin {
  const { vocabulary } = context.catalog.environment;
  return plugin("DefaultStorageClass", [
    on(PersistentVolumeClaim, "CREATE", {
      mutate(request) {
        const claim = request.object;
        const annotated = claim.metadata.annotations?.[vocabulary.word(storageClassAnnotation)] !== undefined;
        // The empty name requests a volume without a class.
        if (annotated || claim.spec === undefined || claim.spec.storageClassName !== undefined) return;
        const name = defaultClass(context, request, classes);
        if (name !== undefined) claim.spec.storageClassName = name;
      },
    }),
  ]);
}
