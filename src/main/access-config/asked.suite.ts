/** A request that authorizers are asked about. */

import type { Attributes } from "../../authz/contract.ts";

/** A user lists the pods of a namespace. */
export const asked = (name: string, more: Partial<Attributes> = {}): Attributes => ({
  user: { name, uid: "", groups: [], extra: new Map() },
  verb: "list",
  isResource: true,
  path: "",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "ns",
  name: "",
  ...more,
});
