/** Gives claims that name no storage class the one that is the default. */

import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { storageClassAnnotation } from "../../api/core/v1/storage-columns.ts";
import { type AdmissionContext, findKind, isAbout, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";

/** In orch's names; the second is older. */
const marks = ["storageclass.orch.io/is-default-class", "storageclass.beta.orch.io/is-default-class"];

export function createDefaultStorageClass(context: AdmissionContext): AdmissionPlugin {
  const { vocabulary } = context.catalog.environment;
  return {
    name: "DefaultStorageClass",
    handles: (request) => request.operation === "CREATE" && isAbout(request, "", "persistentvolumeclaims"),
    mutate(request) {
      const claim = request.object as unknown as PersistentVolumeClaim; // told apart by `handles`
      const annotated = claim.metadata.annotations?.[vocabulary.word(storageClassAnnotation)] !== undefined;
      // The empty name says that no class is wanted.
      if (annotated || claim.spec === undefined || claim.spec.storageClassName !== undefined) return;
      const [name, ...others] = defaultClasses(context);
      if (name === undefined) return;
      if (others.length > 0) throw refuse(request, `${others.length + 1} storage classes are the default; one may be`);
      claim.spec.storageClassName = name;
    },
  };
}

function defaultClasses(context: AdmissionContext): string[] {
  const { vocabulary } = context.catalog.environment;
  const kind = findKind(context, "storage.orch.io", "v1", "storageclasses");
  if (kind === undefined) return [];
  return [...context.registry.peekAll(kind.family)]
    .map((entry) => entry.object().metadata)
    .filter(({ annotations = {} }) => marks.some((mark) => annotations[vocabulary.word(mark)] === "true"))
    .map(({ name = "" }) => name);
}
