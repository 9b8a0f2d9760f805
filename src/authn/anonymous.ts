/** Lets a request without any credential pass as the anonymous user; comes last in the union. */

import type { Authenticator } from "./contract.ts";
import { anonymousUser } from "./contract.ts";

export const anonymous: Authenticator = {
  name: "anonymous",
  authenticate: () => ({ user: anonymousUser, by: "anonymous" }),
};
