/** Lets pods stay for a while on a node that is not ready or unreachable, unless they set their own tolerations. */

import { Pod } from "../../api/core/v1/pod.ts";
import { ownMember } from "../../machinery/schema/shared-object.ts";
import type { AdmissionContext } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin } from "../on.ts";

export function createDefaultTolerationSeconds(context: AdmissionContext): AdmissionPlugin {
  const { word } = context.catalog.environment.vocabulary;
  const taints = [
    { key: word("node.orch.io/not-ready"), seconds: context.notReadyTolerationSeconds },
    { key: word("node.orch.io/unreachable"), seconds: context.unreachableTolerationSeconds },
  ];
  return plugin("DefaultTolerationSeconds", [
    on(Pod, ["CREATE", "UPDATE"], {
      leavesOldMembers: true,
      mutate({ object, old }) {
        const { spec } = object;
        if (spec === undefined) return;
        const own = spec.tolerations ?? [];
        const added = taints.filter(({ key }) => !own.some((toleration) => tolerates(toleration, key)));
        if (added.length === 0) return;
        const tolerations = added.map(({ key, seconds }) => ({
          key,
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: seconds,
        }));
        const written = ownMember(object, old, "spec");
        if (written === undefined) object.spec = { ...spec, tolerations: [...own, ...tolerations] };
        else written.tolerations = [...(written.tolerations ?? []), ...tolerations];
      },
    }),
  ]);
}

/** An absent key or effect matches all. */
function tolerates(toleration: { key?: string; effect?: string }, key: string): boolean {
  return [key, "", undefined].includes(toleration.key) && ["NoExecute", "", undefined].includes(toleration.effect);
}
