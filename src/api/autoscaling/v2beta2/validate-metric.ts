/** Checks of one metric of an autoscaler: one source, the one its type names, with a target it can have. */

import { isPathSegmentName } from "../../../machinery/meta/names.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { addTo, forbidden, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import { compareAmounts } from "../../../machinery/values/quantity.ts";
import type { CrossVersionObjectReference, MetricIdentifier, MetricSpec, MetricTarget } from "./metrics.ts";

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
const targetTypes = ["Utilization", "Value", "AverageValue"];

export function validateMetric(metric: MetricSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (metric.type === "") errors.push(required(`${path}.type`, "must name a source"));
  const expected = sourceOf.get(metric.type);
  if (expected === undefined) errors.push(notSupported(`${path}.type`, metric.type, [...sourceOf.keys()].sort()));
  const present = sources.filter((source) => metric[source] !== undefined);
  if (present[0] !== undefined) addTo(errors, validateSource(metric, present[0], `${path}.${present[0]}`));
  if (expected !== undefined && metric[expected] === undefined) {
    errors.push(required(`${path}.${expected}`, `must be given when the type is ${metric.type}`));
  }
  if (present.length !== 1) {
    const others = present.filter((source) => source !== expected);
    errors.push(...others.map((source) => forbidden(`${path}.${source}`, "only one source may be given")));
  }
  return errors;
}

function validateSource(metric: MetricSpec, source: Source, path: string): FieldError[] {
  const { object, pods, external, resource, containerResource } = metric;
  switch (source) {
    case "object":
      if (object === undefined) return [];
      return [
        ...validateReference(object.describedObject, `${path}.describedObject`),
        ...validateIdentifier(object.metric, `${path}.metric`),
        ...validateTarget(object.target, `${path}.target`),
        ...needsOne(object.target, "value", "averageValue", `${path}.target`),
      ];
    case "external":
      if (external === undefined) return [];
      return [
        ...validateIdentifier(external.metric, `${path}.metric`),
        ...validateTarget(external.target, `${path}.target`),
        ...needsOne(external.target, "value", "averageValue", `${path}.target`),
        ...notBoth(external.target, "averageValue", "value", `${path}.target`),
      ];
    case "pods":
      if (pods === undefined) return [];
      return [
        ...validateIdentifier(pods.metric, `${path}.metric`),
        ...validateTarget(pods.target, `${path}.target`),
        ...(isPositive(pods.target.averageValue ?? "0")
          ? []
          : [required(`${path}.target.averageValue`, "must be a positive amount")]),
      ];
    case "resource":
      return resource === undefined ? [] : validateResource(resource, path);
    case "containerResource":
      if (containerResource === undefined) return [];
      return [
        ...(containerResource.container === "" ? [required(`${path}.container`)] : []),
        ...validateResource(containerResource, path),
      ];
  }
}

function validateResource({ name, target }: { name: string; target: MetricTarget }, path: string): FieldError[] {
  return [
    ...(name === "" ? [required(`${path}.name`)] : []),
    ...validateTarget(target, `${path}.target`),
    ...needsOne(target, "averageValue", "averageUtilization", `${path}.target`),
    ...notBoth(target, "averageUtilization", "averageValue", `${path}.target`),
  ];
}

export function validateReference({ kind, name }: CrossVersionObjectReference, path: string): FieldError[] {
  return [...validateSegment(kind, `${path}.kind`), ...validateSegment(name, `${path}.name`)];
}

/** Something that becomes part of a path. */
function validateSegment(text: string, path: string): FieldError[] {
  return text === "" ? [required(path)] : isPathSegmentName(text).map((problem) => invalid(path, text, problem));
}

const validateIdentifier = ({ name }: MetricIdentifier, path: string) => validateSegment(name, `${path}.name`);

function validateTarget(target: MetricTarget, path: string): FieldError[] {
  const { type, value, averageValue, averageUtilization } = target;
  const errors: FieldError[] = [];
  if (type === "") errors.push(required(`${path}.type`));
  if (!targetTypes.includes(type)) {
    errors.push(invalid(`${path}.type`, type, "must be Utilization, Value or AverageValue"));
  }
  // The older versions cannot omit the value of an object, so 0 beside an average means that there is none.
  const isNone = value === "0" && averageValue !== undefined;
  if (value !== undefined && !isPositive(value) && !isNone) {
    errors.push(invalid(`${path}.value`, value, "must be positive"));
  }
  if (averageValue !== undefined && !isPositive(averageValue)) {
    errors.push(invalid(`${path}.averageValue`, averageValue, "must be positive"));
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(invalid(`${path}.averageUtilization`, averageUtilization, "must be greater than 0"));
  }
  return errors;
}

type Amount = Exclude<keyof MetricTarget, "type">;

/** Reported at `second`. */
function needsOne(target: MetricTarget, first: Amount, second: Amount, path: string): FieldError[] {
  const isMissing = target[first] === undefined && target[second] === undefined;
  return isMissing ? [required(`${path}.${second}`, `must be given where ${first} is not`)] : [];
}

function notBoth(target: MetricTarget, first: Amount, second: Amount, path: string): FieldError[] {
  const isDouble = target[first] !== undefined && target[second] !== undefined;
  return isDouble ? [forbidden(`${path}.${second}`, `must not be given together with ${first}`)] : [];
}

const isPositive = (amount: string) => compareAmounts(amount, "0") > 0;
