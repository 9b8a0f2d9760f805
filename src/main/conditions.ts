/** What the server keeps by itself while it runs: conditions of objects, and objects that follow from others. */

import { serverUser } from "../authz/reconcile.ts";
import { keepApiServices } from "../strategies/conditions/api-services.ts";
import { keepDefinitionCleanup } from "../strategies/conditions/definition-cleanup.ts";
import { keepDefinitionServices } from "../strategies/conditions/definition-services.ts";
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
    keepDefinitionServices(given),
  ];
  return {
    async close() {
      await Promise.all(keepers.map((keeper) => keeper.close()));
    },
  };
}
