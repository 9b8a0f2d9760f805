/** `metadata.selfLink`: the path of an object, which v1.21 shows in answers if the feature gate RemoveSelfLink is off. It is not stored. */

import type { BoundKind, Family } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Entry } from "../../registry/contract/entry.ts";

export const hasSelfLinks = ({ environment }: Family): boolean => !environment.gates.enabled("RemoveSelfLink");

/** `subresource` is the one that the object is shown through; "": none. */
export function withSelfLink(object: ApiObject, kind: BoundKind, entry: Entry, subresource: string): ApiObject {
  return { ...object, metadata: { selfLink: selfLinkOf(kind, entry, subresource), ...object.metadata } };
}

function selfLinkOf({ group, apiVersion, resource, namespaced }: BoundKind, entry: Entry, subresource: string): string {
  const scope = namespaced ? `/namespaces/${encodeURIComponent(entry.namespace)}` : "";
  const path = `${group === "" ? "/api" : "/apis"}/${apiVersion}${scope}/${resource}/${encodeURIComponent(entry.name)}`;
  return subresource === "" ? path : `${path}/${subresource}`;
}
