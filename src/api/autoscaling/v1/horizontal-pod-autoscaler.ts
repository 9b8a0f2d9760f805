/** HorizontalPodAutoscaler in v1, the stored version: CPU has a field, everything else is kept in annotations. */

import { finish, type Steps } from "../../../base/time-slice.ts";
import { given } from "../../../machinery/json/json-value.ts";
import { elided, int32, int64, optional, renamed, type Static, struct, time } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { version } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { has } from "../../features.ts";
import { metricFromHub, metricStatusFromHub, metricStatusToHub, metricToHub } from "../v2beta1/convert-metrics.ts";
import { HorizontalPodAutoscalerCondition } from "../v2beta1/horizontal-pod-autoscaler.ts";
import { MetricSpec, MetricStatus } from "../v2beta1/metrics.ts";
import type {
  HorizontalPodAutoscalerSpec as HubSpec,
  HorizontalPodAutoscalerStatus as HubStatus,
} from "../v2beta2/autoscaler-spec.ts";
import { fillBehavior } from "../v2beta2/behavior.ts";
import {
  cpuMetric,
  cpuUtilizationDefault,
  HorizontalPodAutoscaler as Hub,
} from "../v2beta2/horizontal-pod-autoscaler.ts";
import type * as HubMetrics from "../v2beta2/metrics.ts";
import { CrossVersionObjectReference as HubReference } from "../v2beta2/metrics.ts";
import {
  behaviorAnnotation,
  carriedList,
  conditionsAnnotation,
  currentMetricsAnnotation,
  metricsAnnotation,
  readBehavior,
  withCarried,
  withoutCarried,
  writeBehavior,
} from "./carried.ts";

const CrossVersionObjectReference = renamed("autoscaling.v1.CrossVersionObjectReference", HubReference, {
  from: { "1.22": { topology: "atomic" } },
});

const HorizontalPodAutoscalerSpec = struct("autoscaling.v1.HorizontalPodAutoscalerSpec", {
  scaleTargetRef: CrossVersionObjectReference.at(1).doc("The object whose scale subresource is changed."),
  minReplicas: optional(int32())
    .at(2)
    .default(1)
    .doc(
      "The lowest number of replicas. Default: 1; 0 needs the feature gate HPAScaleToZero and an object or external metric.",
    ),
  maxReplicas: int32().at(3).doc("The highest number of replicas; at least minReplicas."),
  targetCPUUtilizationPercentage: optional(int32())
    .at(4)
    .doc("The average CPU use of all pods to aim at, in percent of what they request. Absent: 80."),
});
type HorizontalPodAutoscalerSpec = Static<typeof HorizontalPodAutoscalerSpec>;

const HorizontalPodAutoscalerStatus = struct("autoscaling.v1.HorizontalPodAutoscalerStatus", {
  observedGeneration: optional(int64()).at(1).doc("The metadata.generation that the controller last acted on."),
  lastScaleTime: optional(time()).at(2).doc("When the number of replicas was last changed."),
  currentReplicas: int32().at(3).doc("The number of replicas that was last seen."),
  desiredReplicas: int32().at(4).doc("The number of replicas that was last computed."),
  currentCPUUtilizationPercentage: optional(int32())
    .at(5)
    .doc("The average CPU use of all pods that was last seen, in percent of what they request."),
});
type HorizontalPodAutoscalerStatus = Static<typeof HorizontalPodAutoscalerStatus>;

export const HorizontalPodAutoscaler = version(Hub, {
  version: "v1",
  fields: {
    spec: elided(HorizontalPodAutoscalerSpec)
      .listed(true, "1.36")
      .at(2)
      .doc("The desired state of the horizontal pod autoscaler, set by its users."),
    status: elided(HorizontalPodAutoscalerStatus)
      .at(3)
      .doc("The most recently observed state of the horizontal pod autoscaler, written by the system."),
  },
  // Whether CPU has a default depends on the annotations, so the conversion sets it.
  defaults: () => {},
  toHub: (object, environment) => finish(toHub(object, environment)),
  fromHub: (object, environment) => finish(fromHub(object, environment)),
  // Thousands of metrics are one annotation here.
  toHubInSteps: toHub,
  fromHubInSteps: fromHub,
});
export type HorizontalPodAutoscaler = Static<typeof HorizontalPodAutoscaler>;

const carriedMetrics = carriedList(metricsAnnotation, MetricSpec);
const carriedCurrentMetrics = carriedList(currentMetricsAnnotation, MetricStatus);
const carriedConditions = carriedList(conditionsAnnotation, HorizontalPodAutoscalerCondition);

/** As decoded. */
interface Own {
  readonly metadata: ObjectMeta;
  readonly spec?: HorizontalPodAutoscalerSpec | undefined;
  readonly status?: HorizontalPodAutoscalerStatus | undefined;
}

function* toHub({ metadata, spec, status }: Own, environment: Environment): Steps<Hub> {
  return {
    metadata: withoutCarried(metadata, environment),
    ...given({
      spec: spec && (yield* specToHub(spec, metadata, environment)),
      status: status && (yield* statusToHub(status, metadata, environment)),
    }),
  };
}

function* fromHub({ metadata, spec, status }: Hub, environment: Environment) {
  return {
    metadata: withCarried(metadata, environment, yield* carriedBy(spec, status, environment)),
    ...given({ spec: spec && specFromHub(spec), status: status && statusFromHub(status) }),
  };
}

function* specToHub(spec: HorizontalPodAutoscalerSpec, metadata: ObjectMeta, environment: Environment): Steps<HubSpec> {
  const { targetCPUUtilizationPercentage: cpu, ...rest } = spec;
  const metrics = ((yield* carriedMetrics.read(metadata, environment)) ?? []).map(metricToHub);
  if (cpu !== undefined) metrics.push(cpuMetric(cpu));
  if (metrics.length === 0) metrics.push(cpuMetric(cpuUtilizationDefault));
  const behavior = readBehavior(metadata, environment);
  // Where it is stored as v2, what the annotation leaves out gets the defaults of v2.
  if (behavior && has(environment, "filledBehaviors")) fillBehavior(behavior);
  return given({ ...rest, metrics, behavior });
}

function specFromHub({ metrics = [], behavior: _behavior, ...rest }: HubSpec): HorizontalPodAutoscalerSpec {
  const targetCPUUtilizationPercentage = metrics.find(isCpuUtilization)?.resource?.target.averageUtilization;
  return given({ ...rest, targetCPUUtilizationPercentage });
}

/** The metric that the field for CPU can express. */
const isCpuUtilization = ({ type, resource }: HubMetrics.MetricSpec): boolean =>
  type === "Resource" && resource?.name === "cpu" && resource.target.averageUtilization !== undefined;

function* statusToHub(
  status: HorizontalPodAutoscalerStatus,
  metadata: ObjectMeta,
  environment: Environment,
): Steps<HubStatus> {
  const { currentCPUUtilizationPercentage: averageUtilization, ...rest } = status;
  const cpu: HubMetrics.MetricStatus[] =
    averageUtilization === undefined
      ? []
      : [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization } } }];
  // The annotation has the amounts as well.
  const carried = (yield* carriedCurrentMetrics.read(metadata, environment))?.map(metricStatusToHub);
  const conditions = (yield* carriedConditions.read(metadata, environment)) ?? [];
  return { ...rest, currentMetrics: carried ?? cpu, conditions: [...conditions] };
}

function statusFromHub(status: HubStatus): HorizontalPodAutoscalerStatus {
  const { currentMetrics, conditions: _conditions, ...rest } = status;
  const cpu = (currentMetrics ?? []).filter(({ type, resource }) => type === "Resource" && resource?.name === "cpu");
  const known = cpu.map(({ resource }) => resource?.current.averageUtilization).filter((each) => each !== undefined);
  return given({ ...rest, currentCPUUtilizationPercentage: known.at(-1) });
}

function* carriedBy(
  spec: HubSpec | undefined,
  status: HubStatus | undefined,
  environment: Environment,
): Steps<ReadonlyMap<string, string>> {
  const carried = new Map<string, string>();
  const metrics = spec?.metrics ?? [];
  const cpu = metrics.find(isCpuUtilization);
  const others = metrics.filter((metric) => metric !== cpu);
  const current = status?.currentMetrics ?? [];
  const conditions = status?.conditions ?? [];
  if (others.length > 0) carried.set(metricsAnnotation, yield* carriedMetrics.write(others.map(metricFromHub)));
  if (spec?.behavior) carried.set(behaviorAnnotation, writeBehavior(spec.behavior, environment));
  if (current.length > 0) {
    carried.set(currentMetricsAnnotation, yield* carriedCurrentMetrics.write(current.map(metricStatusFromHub)));
  }
  if (conditions.length > 0) {
    carried.set(conditionsAnnotation, yield* carriedConditions.write(conditions));
  }
  return carried;
}
