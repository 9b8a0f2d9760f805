/** What a pod prefers of nodes: labels, and no taints that ask to stay away. */

import { fitsNode, nodeComparisons } from "../../controllers/parts/nodes/affinity.ts";
import { tolerates } from "../../controllers/parts/nodes/taints.ts";
import type { KnownNode } from "../cluster.ts";
import { eachNode } from "../each-node.ts";
import { counted } from "../tally.ts";
import { rateEach, type Score } from "./score.ts";

export const preferredNodes: Score = {
  weight: 1,
  scale: "higher",
  prepare({ pod }, cluster) {
    const terms = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (terms.length === 0) return undefined;
    const specs = terms.map(({ weight, preference }) => ({
      weight,
      spec: {
        affinity: {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [preference] } },
        },
      },
    }));
    const cost = specs.reduce((sum, { spec }) => sum + nodeComparisons(spec), 0);
    const looks = eachNode(cluster, cost, ({ node }) =>
      specs.reduce((sum, { weight, spec }) => sum + (fitsNode(spec, node) ? weight : 0), 0),
    );
    return counted(looks, rateEach);
  },
};

export const untainted: Score = {
  weight: 1,
  scale: "lower",
  prepare({ pod }, cluster) {
    const tolerations = pod.spec?.tolerations ?? [];
    const isUnwelcome = (taint: KnownNode["taints"][number]) =>
      taint.effect === "PreferNoSchedule" && !tolerations.some((toleration) => tolerates(toleration, taint));
    const looks = eachNode(cluster, tolerations.length, ({ taints }) =>
      taints.length === 0 ? 0 : taints.filter(isUnwelcome).length,
    );
    return counted(looks, (rate) => (cluster.tainted > 0 ? rateEach(rate) : undefined));
  },
};
