/** Default requests and limits for containers, from one limit range. */

import type { LimitRangeItem } from "../../api/core/v1/limit-range-spec.ts";
import type { Container } from "../../api/core/v1/pod/container.ts";
import type { Pod } from "../../api/core/v1/pod.ts";

type Amounts = Readonly<Record<string, string>>;

/** In place. Returns what was set, container by container: "cpu, memory request for container a". */
export function fillContainers({ spec }: Pod, limits: readonly LimitRangeItem[]): string[] {
  const items = limits.filter(({ type }) => type === "Container");
  const requests: Amounts = Object.assign(Object.create(null), ...items.map((item) => item.defaultRequest));
  const ceilings: Amounts = Object.assign(Object.create(null), ...items.map((item) => item.default));
  const fill = (container: Container, what: string) => [
    ...said(setMissing(container, "requests", requests), `request for ${what} ${container.name}`),
    ...said(setMissing(container, "limits", ceilings), `limit for ${what} ${container.name}`),
  ];
  return [
    ...(spec?.containers ?? []).flatMap((container) => fill(container, "container")),
    ...(spec?.initContainers ?? []).flatMap((container) => fill(container, "init container")),
  ];
}

const said = (names: readonly string[], of: string): string[] =>
  names.length === 0 ? [] : [`${names.join(", ")} ${of}`];

/** The names that were missing, in order. */
function setMissing(container: Container, column: "requests" | "limits", fallback: Amounts): string[] {
  const own = container.resources?.[column] ?? {};
  const missing = Object.keys(fallback)
    .filter((name) => !Object.hasOwn(own, name))
    .sort();
  if (missing.length === 0) return missing;
  const merged = [...Object.entries(own), ...missing.map((name) => [name, fallback[name] ?? "0"] as const)];
  const filled = Object.fromEntries(merged.sort(byName));
  const { limits, requests } = container.resources ?? {};
  container.resources =
    column === "limits"
      ? { limits: filled, ...(requests && { requests }) }
      : { ...(limits && { limits }), requests: filled };
  return missing;
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);
