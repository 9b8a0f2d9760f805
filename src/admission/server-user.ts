/** As whom the server itself writes when a plugin needs an object. */

import type { User } from "../authn/contract.ts";

export const serverUser: User = {
  name: "system:apiserver",
  uid: "",
  groups: ["system:masters", "system:authenticated"],
  extra: new Map(),
};
