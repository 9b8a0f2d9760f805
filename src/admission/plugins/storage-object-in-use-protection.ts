/** Keeps volumes and claims from vanishing while something uses them: a finalizer that only their controller removes. */

import { type AdmissionContext, isAbout } from "../context.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../contract.ts";

/** Resource -> finalizer, in orch's names. */
const finalizers: ReadonlyMap<string, string> = new Map([
  ["persistentvolumes", "orch.io/pv-protection"],
  ["persistentvolumeclaims", "orch.io/pvc-protection"],
]);

export function createStorageObjectInUseProtection(context: AdmissionContext): AdmissionPlugin {
  const { vocabulary } = context.catalog.environment;
  const finalizerOf = (request: AdmissionRequest) => finalizers.get(request.kind.declaration.resource);
  return {
    name: "StorageObjectInUseProtection",
    handles: (request) =>
      request.operation === "CREATE" &&
      finalizerOf(request) !== undefined &&
      isAbout(request, "", request.kind.declaration.resource),
    mutate(request) {
      const { object } = request;
      if (object === undefined) return;
      const finalizer = vocabulary.word(finalizerOf(request) ?? "");
      const own = object.metadata.finalizers ?? [];
      if (!own.includes(finalizer)) object.metadata.finalizers = [...own, finalizer];
    },
  };
}
