/** replicationcontroller: gives every ReplicationController its desired number of pods. */

import { ReplicationController } from "../../api/core/v1/replication-controller.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Controller } from "../contract.ts";
import { startReplicas } from "../replicaset/replicas.ts";

export const replicationControllerController: Controller = {
  name: "replicationcontroller",
  account: "replication-controller",
  start: (context) =>
    startReplicas(
      {
        kind: ReplicationController,
        component: "replication-controller",
        workers: context.settings.concurrentRcSyncs,
        selectorOf: (controller) => labelSelectorFromObject({ matchLabels: controller.spec?.selector ?? {} }),
      },
      context,
    ),
};
