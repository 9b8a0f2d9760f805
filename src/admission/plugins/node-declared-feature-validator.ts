/** Refuses changes of a running pod that its node cannot carry out, because it does not declare a feature that they need. */

import { featuresNeededFor } from "../../api/core/v1/node/declared-features.ts";
import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { type AdmissionContext, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, under } from "../on.ts";

export function createNodeDeclaredFeatureValidator(context: AdmissionContext): AdmissionPlugin {
  const { gates } = context.catalog.environment;
  return plugin("NodeDeclaredFeatureValidator", [
    on([Pod, under(Pod, "resize")], "UPDATE", {
      async validate(request) {
        const { spec } = request.object;
        const before = request.old.spec;
        if (!spec?.nodeName || before === undefined || !gates.enabled("NodeDeclaredFeatures")) return;
        const needed = featuresNeededFor(spec, before);
        if (needed.length === 0) return;
        const name = spec.nodeName;
        const node = await lookUp(context, context.catalog.of(Node), { namespace: "", name }, request);
        if (node === undefined) throw refuse(request, `node "${name}" not found`);
        const missing = needed.filter((feature) => !node.status?.declaredFeatures?.includes(feature));
        if (missing.length === 0) return;
        const text = `pod update requires features ${missing.join(", ")} which are not available on node "${name}"`;
        throw refuse(request, text);
      },
    }),
  ]);
}
