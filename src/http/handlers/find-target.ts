/** Finds what a resource request refers to, and whether its path supports the verb. */

import type { BoundKind, Catalog } from "../../machinery/schema/catalog.ts";
import { conventionsOf } from "../../machinery/schema/conventions.ts";
import { noSuchPath } from "../../machinery/status/status.ts";
import type { SpokenGroup } from "../../vocabulary/vocabulary.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { requestConventionsOf } from "./conventions.ts";
import type { HandledTarget } from "./target.ts";

/** Undefined: this server does not serve a group of that name. Throws 404 or 405 for everything else without a handler. */
export function findTarget(context: ServerContext, call: Call): HandledTarget | undefined {
  const { info } = call;
  const kind = context.catalog.byResource(info.group, info.version, info.resource);
  if (kind === undefined) {
    if (info.group !== "" && !hasLastingKinds(context.catalog, info.group)) return undefined;
    throw noSuchPath();
  }
  // The prefix is authorized, as in v1.21, but nothing is proxied by it since 1.10.
  if (info.verb === "proxy") throw noSuchPath();
  call.kind = kind;
  return requestConventionsOf(kind).findTarget(kind, info, call.exchange.method);
}

/** In a group that only definitions serve, a path that no definition serves has no handler. */
export function hasLastingKinds(catalog: Catalog, group: SpokenGroup): boolean {
  const isLasting = (kind: BoundKind) => !conventionsOf(kind).isTemporary;
  return catalog.versionsOf(group).some((version) => catalog.ofGroupVersion(group, version).some(isLasting));
}
