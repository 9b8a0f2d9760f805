/** Description of an autoscaler: its metrics with their targets, its behaviour and its conditions. */

import type { Context } from "../context.ts";
import { isJson, type Json, list, nameOf, namespaceOf, number, object, text } from "../json.ts";
import { time } from "./pod-template.ts";
import { describeLabels, describeName } from "./workloads.ts";
import type { DescriptionWriter } from "./writer.ts";

export async function describeAutoscaler(w: DescriptionWriter, given: Json, context: Context): Promise<void> {
  const value = await inFull(given, context);
  const spec = object(value, "spec");
  describeName(w, value);
  describeLabels(w, value);
  w.field(0, "CreationTimestamp", time(text(value, "metadata", "creationTimestamp")));
  w.field(0, "Reference", `${text(spec, "scaleTargetRef", "kind")}/${text(spec, "scaleTargetRef", "name")}`);
  const metrics = metricsOf(spec);
  if (metrics.length > 0) w.line(0, "Metrics:\t( current / target )");
  const current = list(value, "status", "currentMetrics");
  metrics.forEach((metric, at) => {
    w.line(1, metricLine(metric, current[at] ?? legacyCurrent(value)));
  });
  w.field(0, "Min replicas", text(spec, "minReplicas") || "<unset>");
  w.field(0, "Max replicas", text(spec, "maxReplicas"));
  describeBehavior(w, object(spec, "behavior"));
  w.field(
    0,
    `${text(spec, "scaleTargetRef", "kind")} pods`,
    `${number(value, "status", "currentReplicas") ?? 0} current / ${number(value, "status", "desiredReplicas") ?? 0} desired`,
  );
  const conditions = list(value, "status", "conditions");
  if (conditions.length === 0) return;
  w.line(0, "Conditions:");
  w.line(1, "Type\tStatus\tReason\tMessage");
  w.line(1, "----\t------\t------\t-------");
  for (const one of conditions)
    w.line(1, ["type", "status", "reason", "message"].map((key) => text(one, key)).join("\t"));
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

function metricsOf(spec: Json): Json[] {
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

function describeBehavior(w: DescriptionWriter, behavior: Json): void {
  if (Object.keys(behavior).length === 0) return;
  w.line(0, "Behavior:");
  for (const [title, key] of [
    ["Scale Up", "scaleUp"],
    ["Scale Down", "scaleDown"],
  ] as const) {
    const rules = behavior[key];
    if (!isJson(rules)) continue;
    w.line(1, `${title}:`);
    const window = number(rules, "stabilizationWindowSeconds");
    if (window !== undefined) w.line(2, `Stabilization Window: ${window} seconds`);
    const policies = list(rules, "policies");
    if (policies.length === 0) continue;
    w.line(2, `Select Policy: ${text(rules, "selectPolicy") || "Max"}`);
    w.line(2, "Policies:");
    for (const policy of policies)
      w.line(
        3,
        `- Type: ${text(policy, "type")}\tValue: ${text(policy, "value")}\tPeriod: ${text(policy, "periodSeconds")} seconds`,
      );
  }
}
