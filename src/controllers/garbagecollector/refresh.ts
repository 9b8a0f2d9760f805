/** Discovers resources again when some may have come or gone. */

import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { APIService } from "../../api/apiregistration/v1/api-service.ts";
import type { ControllerContext } from "../contract.ts";
import type { Monitors } from "./monitors.ts";

/** Resources of aggregated servers, and of a server that is upgraded, change without an event. */
const refreshMs = 30_000;
const refreshLocalMs = 600_000;

/** A refresh looks at all resources, so many definitions in a row share one: the next comes after this many times its duration. */
const restFactor = 10;

const resources = "resources";

export function followResources(context: ControllerContext, monitors: Monitors): void {
  const { clock } = context;
  let restsUntilMs = clock.monotonic();
  const queue = context.queue({
    name: "garbage_collector_resources",
    workers: 1,
    isRound: true,
    after: [monitors],
    async sync() {
      const beganMs = clock.monotonic();
      if (beganMs < restsUntilMs) return { reviewInMs: restsUntilMs - beganMs };
      const isComplete = await monitors.refresh();
      const endedMs = clock.monotonic();
      restsUntilMs = endedMs + restFactor * (endedMs - beganMs);
      return isComplete ? undefined : { reviewInMs: refreshMs };
    },
  });
  const changed = () => {
    queue.add(resources);
    // Discovery may be behind the definition that has just changed.
    queue.addAfter(resources, refreshMs);
  };
  const apiServices = context.informers.of(APIService);
  const remote = apiServices.index("remote", ({ spec }) => (spec?.service ? ["remote"] : []));
  context.informers.of(CustomResourceDefinition).on({ add: changed, update: changed, delete: changed });
  apiServices.on({ add: changed, update: changed, delete: changed });
  context.every(refreshMs, () => {
    if (remote.values().length > 0) queue.add(resources);
  });
  context.every(refreshLocalMs, () => queue.add(resources));
}
