/** Makes every pod pull its images, so that a private image left on a node cannot be used without credentials. */

import { refuse } from "../context.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../contract.ts";
import { containersOf, isPodWrite, oldPodOf, podOf } from "../pod-request.ts";

export function createAlwaysPullImages(): AdmissionPlugin {
  return {
    name: "AlwaysPullImages",
    handles: (request) => isPodWrite(request, "CREATE", "UPDATE") && bringsImages(request),
    mutate(request) {
      for (const { container } of containersOf(podOf(request))) container.imagePullPolicy = "Always";
    },
    validate(request) {
      for (const { container, path } of containersOf(podOf(request))) {
        if (container.imagePullPolicy === "Always") continue;
        throw refuse(request, `${path}.imagePullPolicy: must be Always, not "${container.imagePullPolicy}"`);
      }
    },
  };
}

/** The pull policy cannot change afterwards, so an update without a new image must pass as it is. */
function bringsImages(request: AdmissionRequest): boolean {
  const old = oldPodOf(request);
  if (old === undefined) return true;
  const images = new Set(containersOf(old).map(({ container }) => container.image));
  return containersOf(podOf(request)).some(({ container }) => !images.has(container.image));
}
