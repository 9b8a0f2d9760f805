/** Lets pods that request extended resources run on the nodes reserved for them: nodes tainted with the resource's name. */

import type { Toleration } from "../../api/core/v1/pod/scheduling.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { isExtendedResource } from "../../api/resource-names.ts";
import { containersOf } from "../containers.ts";
import type { AdmissionContext } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin } from "../on.ts";

export function createExtendedResourceToleration({ catalog }: AdmissionContext): AdmissionPlugin {
  return plugin("ExtendedResourceToleration", [
    on(Pod, ["CREATE", "UPDATE"], {
      mutate({ object: pod }) {
        if (pod.spec === undefined) return;
        const asked = containersOf(pod).flatMap(({ container }) => Object.keys(container.resources?.requests ?? {}));
        const names = [...new Set(asked)].filter((name) => isExtendedResource(name, catalog.environment)).sort();
        const own = pod.spec.tolerations ?? [];
        const tolerated = new Set(own.filter(toleratesAll).map(({ key }) => key));
        const added = names.filter((name) => !tolerated.has(name)).map(tolerationOf);
        if (added.length > 0) pod.spec.tolerations = [...own, ...added];
      },
    }),
  ]);
}

const tolerationOf = (key: string): Toleration => ({ key, operator: "Exists", effect: "NoSchedule" });

/** As `tolerationOf` does, for its key. */
const toleratesAll = ({ operator, effect, value }: Toleration): boolean =>
  operator === "Exists" && effect === "NoSchedule" && !value;
