/** Which API services are available, as /metrics shows it. */

import { automanagedLabel } from "../../api/apiregistration/local-services.ts";
import { APIService, availableCondition } from "../../api/apiregistration/v1/api-service.ts";
import { Counter, labelKey, type Metric, Reading } from "../../base/metrics.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { unavailableServices, unavailableServicesTotal } from "../../metrics/extensions.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import type { Registry } from "../../registry/contract/registry.ts";

interface ApiServiceMetrics {
  readonly all: readonly Metric[];
  close(): void;
}

const availability = ({ status }: APIService) => status?.conditions?.find(({ type }) => type === availableCondition);

export function followApiServices(registry: Registry, catalog: Catalog): ApiServiceMetrics {
  const kind = catalog.of(APIService);
  const total = new Counter(unavailableServicesTotal);
  /** API services with this label are served by this server, so they are available; they are not even decoded. */
  const automanaged = catalog.environment.vocabulary.word(automanagedLabel);
  /** By name: whether the service is unavailable. */
  const known = new Map<string, boolean>();
  const note = (entry: Entry<APIService>) => {
    const { name } = entry;
    const condition = entry.labels.has(automanaged) ? undefined : availability(entry.object());
    const isUnavailable = condition?.status === "False";
    if (isUnavailable && known.get(name) !== true) total.add(total.labelKey(name, condition.reason ?? ""));
    known.set(name, isUnavailable);
  };
  for (const entry of registry.peekAll(kind)) note(entry);
  const close = registry.observe(kind, ({ entry, deleted }) => {
    if (deleted) known.delete(entry.name);
    else note(entry);
  });
  const current = new Reading(unavailableServices, () =>
    [...known].map(([name, isUnavailable]) => [labelKey(unavailableServices.labels, [name]), isUnavailable ? 1 : 0]),
  );
  return { all: [current, total], close };
}
