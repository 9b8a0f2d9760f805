/** Replaces the user of a request whose headers name another one. */

import { impersonate } from "../request/impersonate.ts";
import type { ServerContext } from "../server/context.ts";
import type { Filter } from "./filter.ts";

export function impersonation({ authorizer, catalog }: ServerContext): Filter {
  return {
    enter(call) {
      if (!asksForIt(call.exchange.headerNames())) return;
      const user = impersonate(call.exchange, call.user, authorizer, catalog.environment);
      if (user instanceof Promise) {
        return user.then((settled) => {
          call.user = settled;
        });
      }
      call.user = user;
    },
  };
}

function asksForIt(names: readonly string[]): boolean {
  for (const name of names) if (name.startsWith("impersonate-")) return true;
  return false;
}
