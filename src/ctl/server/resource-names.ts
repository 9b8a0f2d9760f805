/** How messages name resources and kinds. */

import type { ResourceAddress } from "../../client/contract.ts";

/** "apps/v1, Resource=deployments", as other tools name a resource in errors. */
export const groupVersionResource = ({ group, version, resource }: ResourceAddress): string =>
  `${group}/${version}, Resource=${resource}`;

/** "deployment.apps", "pod": how messages name a kind. */
export const kindName = ({ kind, group }: Pick<ResourceAddress, "kind" | "group">): string =>
  group === "" ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;

/** "deployments.apps", "pods": the unambiguous name of a resource. */
export const fullName = ({ resource, group }: Pick<ResourceAddress, "resource" | "group">): string =>
  group === "" ? resource : `${resource}.${group}`;
