/** Every controller, in the order in which they start. */

import { bootstrapSigner } from "./bootstrapsigner/wire.ts";
import { clusterRoleAggregation } from "./clusterrole-aggregation/wire.ts";
import type { Controller } from "./contract.ts";
import { csrApproving } from "./csrapproving/wire.ts";
import { csrCleaner } from "./csrcleaner/wire.ts";
import { csrSigning } from "./csrsigning/wire.ts";
import { ephemeralVolume } from "./ephemeral-volume/wire.ts";
import { garbageCollector } from "./garbagecollector/wire.ts";
import { namespaceController } from "./namespace/wire.ts";
import { nodeIpam } from "./nodeipam/wire.ts";
import { nodeLifecycle } from "./nodelifecycle/wire.ts";
import { persistentVolumeBinder } from "./persistentvolume-binder/wire.ts";
import { persistentVolumeExpander } from "./persistentvolume-expander/wire.ts";
import { pvProtection } from "./pv-protection/wire.ts";
import { pvcProtection } from "./pvc-protection/wire.ts";
import { resourceQuotaController } from "./resourcequota/wire.ts";
import { rootCaCertPublisher } from "./root-ca-cert-publisher/wire.ts";
import { serviceAccountController } from "./serviceaccount/wire.ts";
import { serviceAccountToken } from "./serviceaccount-token/wire.ts";
import { tokenCleaner } from "./tokencleaner/wire.ts";
import { ttlController } from "./ttl/wire.ts";
import { workloadControllers } from "./workloads.ts";

export const controllers: readonly Controller[] = [
  // First, since pods of all others wait for accounts and their tokens.
  serviceAccountToken,
  serviceAccountController,
  namespaceController,
  garbageCollector,
  resourceQuotaController,
  rootCaCertPublisher,
  clusterRoleAggregation,
  csrApproving,
  csrSigning,
  csrCleaner,
  nodeLifecycle,
  nodeIpam,
  ttlController,
  persistentVolumeBinder,
  persistentVolumeExpander,
  pvProtection,
  pvcProtection,
  ephemeralVolume,
  bootstrapSigner,
  tokenCleaner,
  ...workloadControllers,
];
