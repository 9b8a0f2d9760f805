/** Priority and fairness of one server: opened with its limits, with the paths that show its state. */

import type { Clock } from "../base/clock.ts";
import { createConfigurationSource } from "../flowcontrol/configuration.ts";
import { dumpLevels, dumpQueues, dumpRequests } from "../flowcontrol/dumps.ts";
import { PriorityAndFairness } from "../flowcontrol/fairness.ts";
import { totalSeats } from "../flowcontrol/shares.ts";
import type { RequestLimits } from "../http/contract/handler-options.ts";
import type { RequestFacts, Route } from "../http/contract/routes.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";
import type { Registry } from "../registry/contract/registry.ts";

interface FairnessParts {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly limits: Pick<RequestLimits, "readingMax" | "mutatingMax" | "requestTimeoutMs">;
}

export interface OpenFairness {
  readonly fairness: PriorityAndFairness;
  readonly routes: readonly Route[];
}

/** The part of the request timeout that may be spent in a queue. */
const waitFraction = 1 / 4;

export function openFairness({ registry, catalog, clock, limits }: FairnessParts): OpenFairness {
  const fairness = new PriorityAndFairness({
    source: createConfigurationSource(registry, catalog),
    clock,
    seats: totalSeats([limits.readingMax, limits.mutatingMax]),
    waitMsMax: limits.requestTimeoutMs * waitFraction,
  });
  const route = (name: string, show: (query: URLSearchParams) => string): Route => ({
    path: `/debug/api_priority_and_fairness/${name}`,
    listed: false,
    method: "GET",
    handle(exchange, { auditId }: RequestFacts) {
      const query = new URL(exchange.target, "https://localhost").searchParams;
      const type = "text/plain; charset=utf-8";
      exchange.send(200, { "audit-id": auditId, "content-type": type }, show(query));
    },
  });
  return {
    fairness,
    routes: [
      route("dump_priority_levels", () => dumpLevels(fairness.levels())),
      route("dump_queues", () => dumpQueues(fairness.levels())),
      route("dump_requests", (query) => {
        const details = (query.get("includeRequestDetails") ?? "") !== "";
        return dumpRequests(fairness.levels(), clock, details);
      }),
    ],
  };
}
