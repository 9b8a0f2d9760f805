/** Makes every pod pull its images, so that a private image left on a node cannot be used without credentials. */

import { EphemeralContainers } from "../../api/core/v1/pod/ephemeral-containers.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { containersOf } from "../containers.ts";
import { refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, type RequestOn, under } from "../on.ts";

export function createAlwaysPullImages(): AdmissionPlugin {
  return plugin("AlwaysPullImages", [
    on(Pod, ["CREATE", "UPDATE"], {
      mutate(request) {
        if (!bringsImages(request)) return;
        for (const { container } of containersOf(request.object)) container.imagePullPolicy = "Always";
      },
      validate(request) {
        if (!bringsImages(request)) return;
        for (const { container, path } of containersOf(request.object)) {
          if (container.imagePullPolicy === "Always") continue;
          throw refuse(request, `${path}.imagePullPolicy: must be Always, not "${container.imagePullPolicy}"`);
        }
      },
    }),
    // v1.21 ignores containers that are added to a running pod, which makes the plugin easy to bypass.
    on(under(Pod, "ephemeralcontainers", EphemeralContainers), "UPDATE", {
      mutate({ object, old }) {
        const known = new Set((old.ephemeralContainers ?? []).map(({ name }) => name));
        for (const container of object.ephemeralContainers ?? []) {
          if (!known.has(container.name)) container.imagePullPolicy = "Always";
        }
      },
    }),
  ]);
}

/** The pull policy cannot change afterwards, so an update without a new image must be accepted unchanged. */
function bringsImages({ object, old }: RequestOn<Pod>): boolean {
  if (old === undefined) return true;
  const images = new Set(containersOf(old).map(({ container }) => container.image));
  return containersOf(object).some(({ container }) => !images.has(container.image));
}
