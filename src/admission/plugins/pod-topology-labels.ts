/** Gives a pod the zone and the region of its node as labels, so that its containers can read them. */

import { Binding } from "../../api/core/v1/binding.ts";
import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { type AdmissionContext, lookUp } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, under } from "../on.ts";

export function createPodTopologyLabels(context: AdmissionContext): AdmissionPlugin {
  const { gates, vocabulary } = context.catalog.environment;
  const keys = ["topology.orch.io/zone", "topology.orch.io/region"].map((key) => vocabulary.word(key));
  const label = async ({ metadata }: ApiObject, node: string | undefined) => {
    if (!node || !gates.enabled("PodTopologyLabelsAdmission")) return;
    const found = await lookUp(context, context.catalog.of(Node), { namespace: "", name: node });
    const labels = Object.entries(found?.metadata.labels ?? {}).filter(([key]) => keys.includes(key));
    if (labels.length > 0) metadata.labels = { ...metadata.labels, ...Object.fromEntries(labels) };
  };
  return plugin("PodTopologyLabels", [
    on(Pod, "CREATE", { mutate: ({ object }) => label(object, object.spec?.nodeName) }),
    // The pod takes over the labels of its binding.
    on(under(Pod, "binding", Binding), "CREATE", {
      mutate: ({ object }) => (object.target.kind === "Node" ? label(object, object.target.name) : undefined),
    }),
  ]);
}
