/** What the server keeps by itself while it runs: conditions of objects, and objects that follow from others. */

import { keepApiServices } from "./api-services.ts";
import { keepDefinitionCleanup } from "./definition-cleanup.ts";
import { keepDefinitionServices } from "./definition-services.ts";
import { keepDefinitions } from "./definitions.ts";
import { keepFlowSchemas } from "./flow-schemas.ts";
import type { ConditionParts, Keeper } from "./write-status.ts";

export function keepConditions(parts: ConditionParts): Keeper {
  const keepers = [
    keepFlowSchemas(parts),
    keepApiServices(parts),
    keepDefinitions(parts),
    keepDefinitionCleanup(parts),
    keepDefinitionServices(parts),
  ];
  return {
    async close() {
      await Promise.all(keepers.map((keeper) => keeper.close()));
    },
  };
}
