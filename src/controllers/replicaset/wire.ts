/** replicaset: gives every ReplicaSet its desired number of pods. */

import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Controller } from "../contract.ts";
import { byController } from "../parts/ownership/by-controller.ts";
import { controllerOf } from "../parts/ownership/controller-ref.ts";
import { startReplicas } from "./replicas.ts";

export const replicaSetController: Controller = {
  name: "replicaset",
  account: "replicaset-controller",
  start(context) {
    const sets = informersOf(context);
    return startReplicas(
      {
        kind: ReplicaSet,
        component: "replicaset-controller",
        workers: context.settings.concurrentReplicasetSyncs,
        selectorOf: (set) => labelSelectorFromObject(set.spec?.selector),
        countsTerminating: context.gates.enabled("DeploymentReplicaSetTerminatingReplicas"),
        relatedOf(set) {
          const uid = controllerOf(set)?.uid;
          return uid === undefined ? [set] : sets.ownedBy({ metadata: { uid } });
        },
      },
      context,
    );
  },
};

const informersOf = ({ informers }: Parameters<Controller["start"]>[0]) => byController(informers.of(ReplicaSet));
