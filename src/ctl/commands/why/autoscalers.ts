/** Why a HorizontalPodAutoscaler does not scale. */

import type { Context } from "../../context.ts";
import { findServed } from "../../input/lookups.ts";
import { isJson, type Json, list, namespaceOf, object, text } from "../../json.ts";
import { warningLines } from "./events.ts";
import { conditionLine, type Explainer, type Explanation } from "./explanation.ts";

export const autoscalerExplainer: Explainer = {
  kind: "HorizontalPodAutoscaler",
  group: "autoscaling",
  explain: explainAutoscaler,
};

async function explainAutoscaler(context: Context, scaler: Json): Promise<Explanation> {
  const target = object(scaler, "spec", "scaleTargetRef");
  const [kind, name] = [text(target, "kind"), text(target, "name")];
  const shown = `${kind.toLowerCase()}/${name}`;
  const resource = await findServed(context, (served) => served.byKind(text(target, "apiVersion"), kind));
  const found =
    resource === undefined
      ? undefined
      : await context.session.find(resource, { namespace: namespaceOf(scaler), name }).catch(() => ({}));
  if (found === undefined) return { summary: "does not scale", lines: [`its target ${shown} does not exist`] };
  const conditions = conditionsOf(scaler).filter(
    (one) => one["status"] === "False" && ["AbleToScale", "ScalingActive"].includes(text(one, "type")),
  );
  const limited = conditionsOf(scaler).filter((one) => one["type"] === "ScalingLimited" && one["status"] === "True");
  const lines = conditions.map(conditionLine);
  if (conditions.some((one) => /^FailedGet.*Metric/.test(text(one, "reason"))))
    lines.push(...missingRequests(found), ...(await metricsLines(context)));
  if (lines.length === 0) return { summary: `scales ${shown}`, lines: [...limited.map(conditionLine)] };
  const warnings = (await warningLines(context, scaler)).filter((line) => !lines.some((one) => one.includes(line)));
  return { summary: "does not scale", lines: [...lines, ...warnings] };
}

/** In the first version of the API conditions are an annotation. */
function conditionsOf(scaler: Json): Json[] {
  const own = list(scaler, "status", "conditions");
  if (own.length > 0) return own;
  const [, kept] =
    Object.entries(object(scaler, "metadata", "annotations")).find(([key]) => key.endsWith("/conditions")) ?? [];
  try {
    const parsed: unknown = JSON.parse(String(kept ?? "[]"));
    return Array.isArray(parsed) ? parsed.filter(isJson) : [];
  } catch {
    return [];
  }
}

/** A percentage is one of the request of each container. */
function missingRequests(target: Json): string[] {
  const containers = list(target, "spec", "template", "spec", "containers");
  return containers
    .filter((one) => Object.keys(object(one, "resources", "requests")).length === 0)
    .map(
      (one) =>
        `container ${text(one, "name")} of its target requests no resources, so that there is nothing to take a percentage of`,
    );
}

async function metricsLines(context: Context): Promise<string[]> {
  const group = (await context.vocabulary()).group("metrics.orch.io");
  const served = await findServed(context, (discovery) => discovery.inGroup("pods", group));
  return served === undefined ? [`the server has no metrics: ${group} is not served`] : [];
}
