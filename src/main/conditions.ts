/** What the server keeps by itself while it runs: conditions of objects, and objects that follow from others. */

import { keepApiServices } from "../strategies/conditions/api-services.ts";
import { type CleanupParts, keepDefinitionCleanup } from "../strategies/conditions/definition-cleanup.ts";
import { keepDefinitionServices } from "../strategies/conditions/definition-services.ts";
import { type DefinitionParts, keepDefinitions } from "../strategies/conditions/definitions.ts";
import { keepFlowSchemas } from "../strategies/conditions/flow-schemas.ts";
import type { Keeper } from "../strategies/conditions/write-status.ts";

export function keepConditions(parts: CleanupParts & DefinitionParts): Keeper {
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
