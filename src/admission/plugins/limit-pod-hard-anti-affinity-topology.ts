/** Refuses required anti-affinity over anything but the host name: it could keep all other pods out of a whole zone. */

import { Pod } from "../../api/core/v1/pod.ts";
import { type AdmissionContext, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin } from "../on.ts";

const listPath = "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution";

export function createLimitPodHardAntiAffinityTopology({ catalog }: AdmissionContext): AdmissionPlugin {
  const hostname = catalog.environment.vocabulary.word("orch.io/hostname");
  return plugin("LimitPodHardAntiAffinityTopology", [
    on(Pod, ["CREATE", "UPDATE"], {
      validate(request) {
        const { podAntiAffinity } = request.object.spec?.affinity ?? {};
        const terms = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
        const index = terms.findIndex(({ topologyKey }) => topologyKey !== hostname);
        if (index < 0) return;
        const given = terms[index]?.topologyKey;
        throw refuse(request, `${listPath}[${index}].topologyKey: must be ${hostname}, not "${given}"`);
      },
    }),
  ]);
}
