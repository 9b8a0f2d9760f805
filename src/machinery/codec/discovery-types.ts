/** The types of aggregated discovery, which describes all groups, versions and resources in one document. */

import type { Fields } from "../schema/build.ts";
import { struct as declare, elided, list, optional, string } from "../schema/build.ts";
import { ObjectMetaStruct } from "../schema/object-meta.ts";

const struct = <F extends Fields>(type: string, fields: F, doc: string) =>
  declare(`apidiscovery.v2.${type}`, fields, { doc });

const GroupVersionKind = declare(
  "meta.v1.GroupVersionKind",
  { group: string().at(1), version: string().at(2), kind: string().at(3) },
  { doc: "A kind in full. Empty: the group and version of the resource." },
);

const APISubresourceDiscovery = struct(
  "APISubresourceDiscovery",
  {
    subresource: string().at(1),
    responseKind: optional(GroupVersionKind).at(2),
    acceptedTypes: elided(list(GroupVersionKind)).at(3),
    verbs: list(string()).at(4),
  },
  "A subresource and what can be done with it.",
);

const APIResourceDiscovery = struct(
  "APIResourceDiscovery",
  {
    resource: string().at(1),
    responseKind: optional(GroupVersionKind).at(2),
    scope: string().at(3),
    singularResource: string().at(4),
    verbs: list(string()).at(5),
    shortNames: elided(list(string())).at(6),
    categories: elided(list(string())).at(7),
    subresources: elided(list(APISubresourceDiscovery)).at(8),
  },
  "A resource and what can be done with it.",
);

const APIVersionDiscovery = struct(
  "APIVersionDiscovery",
  {
    version: string().at(1),
    resources: elided(list(APIResourceDiscovery)).at(2),
    freshness: elided(string()).at(3).doc("Current, or Stale where the server that serves it does not answer now."),
  },
  "A version of a group and its resources.",
);

const APIGroupDiscovery = struct(
  "APIGroupDiscovery",
  { metadata: elided(ObjectMetaStruct).at(1), versions: elided(list(APIVersionDiscovery)).at(2) },
  "A group and its versions, the preferred one first.",
);

export const APIGroupDiscoveryListStruct = struct(
  "APIGroupDiscoveryList",
  { items: list(APIGroupDiscovery).at(2) },
  "All groups with their versions and resources.",
);
