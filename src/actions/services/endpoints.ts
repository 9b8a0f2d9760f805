/** Removes what a deleted service leaves behind: the endpoints of the same name. */

import { Endpoints } from "../../api/core/v1/endpoints.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { ObjectRef } from "../../registry/contract/entry.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { serverWrites } from "../../registry/contract/server-writes.ts";

/** Removes the endpoints of a deleted service, on behalf of the user who deleted the service. */
export function createForget(registry: Registry, catalog: Catalog): (ref: ObjectRef) => Promise<void> {
  const kind = catalog.of(Endpoints);
  return async (ref) => {
    if (registry.peek(kind, ref) === undefined) return;
    const context = serverWrites("endpoints of a deleted service", catalog.environment.vocabulary);
    await registry.delete(kind, ref, {}, context).catch((error: unknown) => {
      if (!(error instanceof StatusError) || error.reason !== "NotFound") throw error;
    });
  };
}
