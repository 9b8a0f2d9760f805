/** Controllers of what runs and how it is reached, in the order in which they start. */

import type { Controller } from "./contract.ts";
import { deploymentController } from "./deployment/wire.ts";
import { replicaSetController } from "./replicaset/wire.ts";
import { replicationControllerController } from "./replicationcontroller/wire.ts";

export const workloadControllers: readonly Controller[] = [
  replicationControllerController,
  replicaSetController,
  deploymentController,
];
