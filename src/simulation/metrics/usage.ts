/**
 * How much a simulated container uses of a resource, as an annotation of its pod, or of what controls its pod, says:
 *
 *   "250m"                          always as much
 *   "80%"                           a share of the request
 *   "0s=100m, 5m=900m, 10m=100m"    a curve over the time since the pod started, straight between its points
 *
 * Values are thousandths of a cpu, and bytes.
 */

import { parseDuration } from "../../base/duration.ts";
import { milliValue, parseQuantity, wholeValue } from "../../machinery/values/quantity.ts";

export type UsedResource = "cpu" | "memory";

export const usageAnnotations: Readonly<Record<UsedResource, string>> = {
  cpu: "simulation.orch.io/cpu-usage",
  memory: "simulation.orch.io/memory-usage",
};

/** Half of the request; so much if nothing is requested: 10 thousandths of a cpu, and 64 MiB. */
const shareDefault = 0.5;
const usedWithoutRequest: Readonly<Record<UsedResource, number>> = { cpu: 10, memory: 64 * 1024 * 1024 };

/** Points of one curve; further ones do not count. */
export const curvePointsMax = 100;

interface Container {
  /** Undefined: nothing is requested. */
  readonly requested: string | undefined;
  /** Since the pod started. */
  readonly elapsedMs: number;
}

/** A text that cannot be read counts as absent. */
export function usageOf(resource: UsedResource, text: string | undefined, container: Container): number {
  const requested = container.requested === undefined ? undefined : amount(resource, container.requested);
  const said = text === undefined ? undefined : readUsage(resource, text, requested, container.elapsedMs);
  return Math.round(said ?? (requested === undefined ? usedWithoutRequest[resource] : requested * shareDefault));
}

function readUsage(
  resource: UsedResource,
  text: string,
  requested: number | undefined,
  elapsedMs: number,
): number | undefined {
  const one = (value: string): number | undefined => {
    const share = /^(\d{1,6}(?:\.\d{1,3})?)%$/.exec(value.trim())?.[1];
    if (share === undefined) return amount(resource, value.trim());
    return ((requested ?? usedWithoutRequest[resource]) * Number(share)) / 100;
  };
  if (!text.includes("=")) return one(text);
  const points = text
    .split(",", curvePointsMax)
    .map((point) => {
      const [at = "", value = ""] = point.split("=");
      const nanos = parseDuration(at.trim());
      return { atMs: nanos === undefined ? undefined : Number(nanos) / 1e6, value: one(value) };
    })
    .flatMap(({ atMs, value }) => (atMs === undefined || value === undefined ? [] : [{ atMs, value }]))
    .sort((a, b) => a.atMs - b.atMs);
  const next = points.findIndex(({ atMs }) => atMs > elapsedMs);
  const [before, after] = next < 0 ? [points.at(-1), undefined] : [points[next - 1], points[next]];
  if (before === undefined || after === undefined) return before?.value ?? after?.value;
  return before.value + ((after.value - before.value) * (elapsedMs - before.atMs)) / (after.atMs - before.atMs);
}

/** Undefined: not a quantity. */
function amount(resource: UsedResource, text: string): number | undefined {
  const quantity = parseQuantity(text);
  if (quantity === undefined) return undefined;
  return Math.max(0, Number(resource === "cpu" ? milliValue(quantity) : wholeValue(quantity)));
}

/** As metrics servers print it. */
export const printUsage = (resource: UsedResource, value: number): string =>
  resource === "cpu" ? `${value}m` : `${Math.ceil(value / 1024)}Ki`;
