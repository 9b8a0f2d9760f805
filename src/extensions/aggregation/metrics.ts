/** Which API services are available, as /metrics shows it. */

import { APIService, availableCondition } from "../../api/apiregistration/v1/api-service.ts";
import { Counter, labelKey, type Metric, Reading } from "../../base/metrics.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { unavailableServices, unavailableServicesTotal } from "../../metrics/extensions.ts";
import type { Registry } from "../../registry/contract/registry.ts";

export interface ApiServiceMetrics {
  readonly all: readonly Metric[];
  close(): void;
}

export function followApiServices(registry: Registry, catalog: Catalog): ApiServiceMetrics {
  const kind = catalog.of(APIService);
  const total = new Counter(unavailableServicesTotal);
  /** By name: the label of the series, and whether the service is unavailable. */
  const known = new Map<string, { readonly key: string; isUnavailable: boolean }>();
  const note = (service: APIService) => {
    const name = service.metadata.name ?? "";
    const condition = service.status?.conditions?.find(({ type }) => type === availableCondition);
    const isUnavailable = condition?.status === "False";
    const before = known.get(name);
    if (isUnavailable && before?.isUnavailable !== true) total.add(total.labelKey(name, condition.reason ?? ""));
    known.set(name, { key: before?.key ?? labelKey(unavailableServices.labels, [name]), isUnavailable });
  };
  for (const entry of registry.peekAll(kind)) note(entry.object());
  const close = registry.observe(kind, ({ entry, deleted }) => {
    if (deleted) known.delete(entry.object().metadata.name ?? "");
    else note(entry.object());
  });
  const current = new Reading(unavailableServices, () =>
    [...known.values()].map(({ key, isUnavailable }) => [key, isUnavailable ? 1 : 0] as const),
  );
  return { all: [current, total], close };
}
