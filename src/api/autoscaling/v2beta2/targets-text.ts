/** The current and target values of an autoscaler, as the Table shows them. */

import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "./metrics.ts";

const shownMax = 2;

/**
 * "30%/80%", "<unknown>/10 (avg) + 3 more...", and with names "cpu: 30%/80%". Metrics and their states go together by their place in
 * the lists.
 */
export function targetsText(
  specs: readonly MetricSpec[],
  statuses: readonly MetricStatus[],
  hasNames: boolean,
): string {
  if (specs.length === 0) return "<none>";
  const shown = specs.slice(0, shownMax).map((spec, index) => {
    const name = hasNames ? (spec.resource ?? spec.containerResource)?.name : undefined;
    return `${name === undefined ? "" : `${name}: `}${targetText(spec, statuses[index])}`;
  });
  const text = shown.join(", ");
  return specs.length > shownMax ? `${text} + ${specs.length - shownMax} more...` : text;
}

function targetText(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case "External":
      return valueText(spec.external?.target, status?.external?.current);
    case "Object":
      return valueText(spec.object?.target, status?.object?.current);
    case "Pods":
      return `${amount(status?.pods?.current, "averageValue")}/${spec.pods?.target.averageValue ?? absent}`;
    case "Resource":
      return resourceText(spec.resource?.target, status?.resource?.current);
    case "ContainerResource":
      return resourceText(spec.containerResource?.target, status?.containerResource?.current);
    default:
      return "<unknown type>";
  }
}

const absent = "<nil>";

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  return target?.averageValue !== undefined
    ? `${amount(current, "averageValue")}/${target.averageValue} (avg)`
    : `${amount(current, "value")}/${target?.value ?? absent}`;
}

function resourceText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${amount(current, "averageValue")}/${target.averageValue}`;
  const now = current?.averageUtilization === undefined ? "<unknown>" : `${current.averageUtilization}%`;
  return `${now}/${target?.averageUtilization === undefined ? "<auto>" : `${target.averageUtilization}%`}`;
}

function amount(current: MetricValueStatus | undefined, member: "value" | "averageValue"): string {
  return current === undefined ? "<unknown>" : (current[member] ?? absent);
}
