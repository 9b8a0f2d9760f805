/** Versions of kinds beside those of kinds.ts, for clients: levels differ in the versions that they serve. Printed from the catalog by `npm run golden`. */

export { HorizontalPodAutoscaler as HorizontalPodAutoscalerV2 } from "../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
export { FlowSchema as FlowSchemaV1 } from "../api/flowcontrol/v1/flow-schema.ts";
export { PriorityLevelConfiguration as PriorityLevelConfigurationV1 } from "../api/flowcontrol/v1/priority-level-configuration.ts";
export { CSIStorageCapacity as CSIStorageCapacityV1 } from "../api/storage/v1/csi-storage-capacity.ts";
