/** Refuses required anti-affinity over anything but the host name: it could keep all other pods out of a whole zone. */

import { type AdmissionContext, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { isPodWrite, podOf } from "../pod-request.ts";

export function createLimitPodHardAntiAffinityTopology({ catalog }: AdmissionContext): AdmissionPlugin {
  const hostname = catalog.environment.vocabulary.word("orch.io/hostname");
  return {
    name: "LimitPodHardAntiAffinityTopology",
    handles: (request) => isPodWrite(request, "CREATE", "UPDATE"),
    validate(request) {
      const { podAntiAffinity } = podOf(request).spec?.affinity ?? {};
      const terms = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      terms.forEach(({ topologyKey }, index) => {
        if (topologyKey === hostname) return;
        const field = `spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[${index}].topologyKey`;
        throw refuse(request, `${field}: must be ${hostname}, not "${topologyKey}"`);
      });
    },
  };
}
