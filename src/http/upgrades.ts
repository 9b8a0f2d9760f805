/** Which requests for another protocol are forwarded: those that connect to a pod, service or node, and those to aggregated servers. */

import type { Catalog } from "../machinery/schema/catalog.ts";
import type { MayUpgrade } from "./contract/exchange.ts";
import type { Delegate } from "./contract/routes.ts";
import { parseRequestInfo } from "./request/request-info.ts";

export function createMayUpgrade(catalog: Catalog, delegate: Pick<Delegate, "serves">): MayUpgrade {
  return (method, target) => {
    const { isResource, group, version, resource, subresource } = parseRequestInfo(method, target);
    if (!isResource) return false;
    if (delegate.serves(group, version)) return true;
    return catalog.byResource(group, version, resource)?.subresources.get(subresource)?.connects !== undefined;
  };
}
