/** Which requests for another protocol are forwarded: those to proxied objects and to aggregated servers. */

import type { Catalog } from "../machinery/schema/catalog.ts";
import type { MayUpgrade } from "./contract/exchange.ts";
import type { Delegate } from "./contract/routes.ts";
import { proxySubresource } from "./request/proxied-path.ts";
import { parseRequestInfo } from "./request/request-info.ts";

export function createMayUpgrade(catalog: Catalog, delegate: Pick<Delegate, "serves">): MayUpgrade {
  return (method, target) => {
    const { isResource, group, version, resource, subresource } = parseRequestInfo(method, target);
    if (!isResource) return false;
    if (delegate.serves(group, version)) return true;
    return (
      subresource === proxySubresource &&
      catalog.byResource(group, version, resource)?.subresources.has(subresource) === true
    );
  };
}
