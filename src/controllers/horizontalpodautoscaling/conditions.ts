/** What a condition of an autoscaler says. */

type AutoscalerConditionType = "AbleToScale" | "ScalingActive" | "ScalingLimited";

export interface ConditionFacts {
  readonly type: AutoscalerConditionType;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}
