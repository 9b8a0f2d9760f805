/** What the server says about objects by itself: their conditions, kept while it runs. */

import { serverUser } from "../authz/reconcile.ts";
import { keepApiServices } from "../strategies/conditions/api-services.ts";
import { keepDefinitionCleanup } from "../strategies/conditions/definition-cleanup.ts";
import { keepDefinitions } from "../strategies/conditions/definitions.ts";
import { keepFlowSchemas } from "../strategies/conditions/flow-schemas.ts";
import type { ConditionParts, Keeper } from "../strategies/conditions/write-status.ts";

export function keepConditions(parts: Omit<ConditionParts, "user">): Keeper {
  const given = { ...parts, user: serverUser };
  const keepers = [
    keepFlowSchemas(given),
    keepApiServices(given),
    keepDefinitions(given),
    keepDefinitionCleanup(given),
  ];
  return {
    async close() {
      await Promise.all(keepers.map((keeper) => keeper.close()));
    },
  };
}
