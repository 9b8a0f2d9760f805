/** Controllers of workloads and services, in the order in which they start. */

import type { Controller } from "./contract.ts";
import { cronJobController } from "./cronjob/wire.ts";
import { daemonSetController } from "./daemonset/wire.ts";
import { deploymentController } from "./deployment/wire.ts";
import { disruptionController } from "./disruption/wire.ts";
import { endpointController } from "./endpoint/wire.ts";
import { endpointSliceController } from "./endpointslice/wire.ts";
import { endpointSliceMirroringController } from "./endpointslicemirroring/wire.ts";
import { horizontalPodAutoscalingController } from "./horizontalpodautoscaling/wire.ts";
import { jobController } from "./job/wire.ts";
import { podGcController } from "./podgc/wire.ts";
import { replicaSetController } from "./replicaset/wire.ts";
import { replicationControllerController } from "./replicationcontroller/wire.ts";
import { statefulSetController } from "./statefulset/wire.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished/wire.ts";

export const workloadControllers: readonly Controller[] = [
  replicationControllerController,
  replicaSetController,
  deploymentController,
  statefulSetController,
  daemonSetController,
  jobController,
  cronJobController,
  ttlAfterFinishedController,
  disruptionController,
  podGcController,
  endpointController,
  endpointSliceController,
  endpointSliceMirroringController,
  horizontalPodAutoscalingController,
];
