/** Every controller, in the order in which they start. */

import { bootstrapSigner } from "./bootstrapsigner/wire.ts";
import { clusterRoleAggregation } from "./clusterrole-aggregation/wire.ts";
import type { Controller } from "./contract.ts";
import { cronJobController } from "./cronjob/wire.ts";
import { csrApproving } from "./csrapproving/wire.ts";
import { csrCleaner } from "./csrcleaner/wire.ts";
import { csrSigning } from "./csrsigning/wire.ts";
import { daemonSetController } from "./daemonset/wire.ts";
import { deploymentController } from "./deployment/wire.ts";
import { disruptionController } from "./disruption/wire.ts";
import { endpointController } from "./endpoint/wire.ts";
import { endpointSliceController } from "./endpointslice/wire.ts";
import { endpointSliceMirroringController } from "./endpointslicemirroring/wire.ts";
import { ephemeralVolume } from "./ephemeral-volume/wire.ts";
import { garbageCollector } from "./garbagecollector/wire.ts";
import { horizontalPodAutoscalingController } from "./horizontalpodautoscaling/wire.ts";
import { jobController } from "./job/wire.ts";
import { legacyServiceAccountTokenCleaner } from "./legacy-service-account-token-cleaner/wire.ts";
import { namespaceController } from "./namespace/wire.ts";
import { nodeIpam } from "./nodeipam/wire.ts";
import { taintEviction } from "./nodelifecycle/taint-eviction.ts";
import { nodeLifecycle } from "./nodelifecycle/wire.ts";
import { persistentVolumeBinder } from "./persistentvolume-binder/wire.ts";
import { persistentVolumeExpander } from "./persistentvolume-expander/wire.ts";
import { podGcController } from "./podgc/wire.ts";
import { pvProtection } from "./pv-protection/wire.ts";
import { pvcProtection } from "./pvc-protection/wire.ts";
import { replicaSetController } from "./replicaset/wire.ts";
import { replicationControllerController } from "./replicationcontroller/wire.ts";
import { resourceClaimController } from "./resourceclaim/wire.ts";
import { resourceQuotaController } from "./resourcequota/wire.ts";
import { rootCaCertPublisher } from "./root-ca-cert-publisher/wire.ts";
import { serviceCidr } from "./service-cidr/wire.ts";
import { serviceAccountController } from "./serviceaccount/wire.ts";
import { serviceAccountToken } from "./serviceaccount-token/wire.ts";
import { statefulSetController } from "./statefulset/wire.ts";
import { storageVersionGc } from "./storage-version-gc/wire.ts";
import { svm } from "./svm/wire.ts";
import { tokenCleaner } from "./tokencleaner/wire.ts";
import { ttlController } from "./ttl/wire.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished/wire.ts";
import { unscheduledPods } from "./unscheduled-pods/wire.ts";
import { validatingAdmissionPolicyStatus } from "./validatingadmissionpolicy-status/wire.ts";
import { volumeAttributesClassProtection } from "./volumeattributesclass-protection/wire.ts";

export const controllers: readonly Controller[] = [
  // First, since pods of all others wait for accounts and their tokens.
  serviceAccountToken,
  serviceAccountController,
  legacyServiceAccountTokenCleaner,
  namespaceController,
  garbageCollector,
  resourceQuotaController,
  rootCaCertPublisher,
  clusterRoleAggregation,
  validatingAdmissionPolicyStatus,
  storageVersionGc,
  svm,
  csrApproving,
  csrSigning,
  csrCleaner,
  nodeLifecycle,
  taintEviction,
  nodeIpam,
  serviceCidr,
  ttlController,
  persistentVolumeBinder,
  persistentVolumeExpander,
  pvProtection,
  pvcProtection,
  volumeAttributesClassProtection,
  resourceClaimController,
  ephemeralVolume,
  bootstrapSigner,
  tokenCleaner,
  // Workloads and services.
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
  unscheduledPods,
];
