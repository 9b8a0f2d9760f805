/** Description of an autoscaler: its metrics with their targets, its behaviour and its conditions. */

import type { Context } from "../context.ts";
import { type Json, list, nameOf, namespaceOf, number, object, text } from "../json.ts";
import { created, heading } from "./metadata.ts";
import { count, or, phrase } from "./readers.ts";
import { each, field, ifThere, indented, line, type Row, type Rows, section, table, when, within } from "./row.ts";

export const autoscaler: Rows = [
  within(inFull, [
    ...heading,
    created,
    field("Reference", phrase`${"spec.scaleTargetRef.kind"}/${"spec.scaleTargetRef.name"}`),
    when(({ spec }) => metricsOf(spec).length > 0, ["Metrics:\t( current / target )", indented([line(metricLines)])]),
    field("Min replicas", or("spec.minReplicas", "<unset>")),
    field("Max replicas", "spec.maxReplicas"),
    when(
      ({ spec }) => Object.keys(object(spec, "behavior")).length > 0,
      [
        section("Behavior", [
          ifThere("spec.behavior.scaleUp", [scalingRules("Scale Up")]),
          ifThere("spec.behavior.scaleDown", [scalingRules("Scale Down")]),
        ]),
      ],
    ),
    line(
      phrase`${"spec.scaleTargetRef.kind"} pods:\t${count("status.currentReplicas")} current / ${count("status.desiredReplicas")} desired`,
    ),
    table("Conditions", "status.conditions", { Type: "type", Status: "status", Reason: "reason", Message: "message" }),
  ]),
];

function scalingRules(title: string): Row {
  return section(title, [
    when(
      (rules) => number(rules, "stabilizationWindowSeconds") !== undefined,
      [line(phrase`Stabilization Window: ${"stabilizationWindowSeconds"} seconds`)],
    ),
    when(
      (rules) => list(rules, "policies").length > 0,
      [
        line(phrase`Select Policy: ${or("selectPolicy", "Max")}`),
        section("Policies", [
          each("policies", [line(phrase`- Type: ${"type"}\tValue: ${"value"}\tPeriod: ${"periodSeconds"} seconds`)]),
        ]),
      ],
    ),
  ]);
}

/** The newer version shows the fields that the first one keeps in annotations. */
async function inFull(value: Json, context: Context): Promise<Json> {
  const resource = (await context.discovery()).find("horizontalpodautoscalers.v2beta2.autoscaling");
  if (resource === undefined) return value;
  return context
    .at(resource)
    .get({ namespace: namespaceOf(value), name: nameOf(value) })
    .catch(() => value);
}

function metricLines(value: Json): string[] {
  const current = list(value, "status", "currentMetrics");
  return metricsOf(value["spec"]).map((metric, index) => metricLine(metric, current[index] ?? legacyCurrent(value)));
}

function metricsOf(spec: unknown): Json[] {
  const cpu = number(spec, "targetCPUUtilizationPercentage");
  if (cpu === undefined) return list(spec, "metrics");
  return [{ type: "Resource", resource: { name: "cpu", target: { averageUtilization: cpu } } }];
}

function legacyCurrent(value: Json): Json {
  const cpu = number(value, "status", "currentCPUUtilizationPercentage");
  return cpu === undefined ? {} : { resource: { current: { averageUtilization: cpu } } };
}

function metricLine(metric: Json, status: Json): string {
  const type = text(metric, "type");
  const key = type === "" ? "" : `${type[0]?.toLowerCase()}${type.slice(1)}`;
  const source = object(metric, key);
  const [target, current] = [object(source, "target"), object(status, key, "current")];
  const amount = (name: string) => `${text(current, name) || "<unknown>"} / ${text(target, name)}`;
  const isAverage = target["averageValue"] !== undefined;
  const name = text(source, "metric", "name");
  switch (type) {
    case "External":
      return isAverage
        ? `"${name}" (target average value):\t${amount("averageValue")}`
        : `"${name}" (target value):\t${amount("value")}`;
    case "Pods":
      return `"${name}" on pods:\t${amount("averageValue")}`;
    case "Object": {
      const on = `${text(source, "describedObject", "kind")}/${text(source, "describedObject", "name")}`;
      return `"${name}" on ${on} ${isAverage ? "(target average value)" : "(target value)"}:\t${amount(isAverage ? "averageValue" : "value")}`;
    }
    case "Resource":
    case "ContainerResource": {
      const where = type === "Resource" ? "" : ` of container "${text(source, "container")}"`;
      const start = `resource ${text(source, "name")}${where} on pods`;
      if (isAverage) return `${start}:\t${amount("averageValue")}`;
      const used = number(current, "averageUtilization");
      const shown = used === undefined ? "<unknown>" : `${used}% (${text(current, "averageValue") || "0"})`;
      const wanted = number(target, "averageUtilization");
      return `${start}  (as a percentage of request):\t${shown} / ${wanted === undefined ? "<auto>" : `${wanted}%`}`;
    }
    default:
      return `<unknown metric type "${type}">`;
  }
}
