/** Relations between the fields of one metric of an autoscaler: one source, the one its type names, with a target it can have. */

import { checkedWhen, on, onlyOne, type Relation } from "../../../machinery/schema/constraints.ts";
import { type FieldError, type FieldErrors, forbidden, required } from "../../../machinery/status/field-error.ts";
import {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from "./metrics.ts";

type Source = "object" | "external" | "pods" | "resource" | "containerResource";

/** In the order in which the first one present is looked into. */
const sources: readonly Source[] = ["object", "external", "pods", "resource", "containerResource"];
const sourceOf: ReadonlyMap<string, Source> = new Map([
  ["Object", "object"],
  ["Pods", "pods"],
  ["Resource", "resource"],
  ["ContainerResource", "containerResource"],
  ["External", "external"],
]);

export const metricRelations: readonly Relation[] = [
  onlyOne(MetricSpec, { members: sources }),
  on(MetricSpec, validateSources),
  // The older versions cannot omit the value of an object, so 0 beside an average means that there is none.
  checkedWhen(MetricTarget, ["value"], ({ value, averageValue }) => value !== "0" || averageValue === undefined),
  on(ObjectMetricSource, ({ target }) => needsOne(target, "value", "averageValue")),
  on(ExternalMetricSource, ({ target }) => [
    ...needsOne(target, "value", "averageValue"),
    ...notBoth(target, "averageValue", "value"),
  ]),
  on(PodsMetricSource, ({ target }) =>
    target.averageValue === undefined ? [required("target.averageValue", "must be a positive amount")] : [],
  ),
  on(ResourceMetricSource, validateResource),
  on(ContainerResourceMetricSource, validateResource),
];

function validateSources(metric: MetricSpec): FieldErrors {
  const errors: FieldError[] = [];
  const expected = sourceOf.get(metric.type);
  const present = sources.filter((source) => metric[source] !== undefined);
  if (expected !== undefined && metric[expected] === undefined) {
    errors.push(required(expected, `must be given when the type is ${metric.type}`));
  }
  if (present.length !== 1) {
    const others = present.filter((source) => source !== expected);
    errors.push(...others.map((source) => forbidden(source, "only one source may be given")));
  }
  return errors;
}

function validateResource({ target }: { readonly target: MetricTarget }): FieldErrors {
  return [
    ...needsOne(target, "averageValue", "averageUtilization"),
    ...notBoth(target, "averageUtilization", "averageValue"),
  ];
}

type Amount = Exclude<keyof MetricTarget, "type">;

/** Reported at `second`. */
function needsOne(target: MetricTarget, first: Amount, second: Amount): FieldErrors {
  const isMissing = target[first] === undefined && target[second] === undefined;
  return isMissing ? [required(`target.${second}`, `must be given where ${first} is not`)] : [];
}

function notBoth(target: MetricTarget, first: Amount, second: Amount): FieldErrors {
  const isDouble = target[first] !== undefined && target[second] !== undefined;
  return isDouble ? [forbidden(`target.${second}`, `must not be given together with ${first}`)] : [];
}
