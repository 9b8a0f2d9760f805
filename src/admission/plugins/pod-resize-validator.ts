/** Refuses to resize a pod beyond what its node could ever give it, and pods on nodes that are not of Linux. */

import { Node } from "../../api/core/v1/node.ts";
import { requestsOfPod } from "../../api/core/v1/pod/pod-requests.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { milliValue, quantityOf, wholeValue } from "../../machinery/values/quantity.ts";
import { type AdmissionContext, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, under } from "../on.ts";

/** Clients such as autoscalers look for these causes. */
const beyondNode = { reason: "NodeCapacity" };
const otherSystem = { reason: "UnsupportedPlatform" };

const measured = [
  ["cpu", milliValue],
  ["memory", wholeValue],
] as const;

type Spec = NonNullable<Pod["spec"]>;

export function createPodResizeValidator(context: AdmissionContext): AdmissionPlugin {
  const { gates, vocabulary } = context.catalog.environment;
  const systemLabel = vocabulary.word("orch.io/os");
  return plugin("PodResizeValidator", [
    on(under(Pod, "resize"), "UPDATE", {
      async validate(request) {
        const { spec } = request.object;
        if (!spec?.nodeName || !gates.enabled("InPlacePodVerticalScaling")) return;
        if (sameValue(spec, request.old.spec)) return;
        const name = spec.nodeName;
        const node = await lookUp(context, context.catalog.of(Node), { namespace: "", name }, request);
        if (node === undefined) throw refuse(request, `node "${name}" not found`);
        const problems = beyond(spec, node);
        if (problems.length > 0)
          throw refuse(request, `Node didn't have enough allocatable resources: ${problems.join("; ")}`, [beyondNode]);
        const system = node.metadata.labels?.[systemLabel] ?? "";
        if (system === "linux") return;
        throw refuse(request, `pod resize is only supported on linux nodes, node "${name}" is "${system}"`, [
          otherSystem,
        ]);
      },
    }),
  ]);
}

const beyond = (spec: Spec, { status }: Node): string[] =>
  measured.flatMap(([name, amount]) => {
    const requested = amount(requestsOfPod(spec, name)) + amount(quantityOf(spec.overhead?.[name] ?? "0"));
    const allocatable = amount(quantityOf(status?.allocatable?.[name] ?? "0"));
    return requested > allocatable ? [`${name}, requested: ${requested}, allocatable: ${allocatable}`] : [];
  });
