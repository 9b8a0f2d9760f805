/** The place of impersonation in the chain: whom a request acts as, where its headers name somebody else. */

import type { Context } from "../context.ts";
import type { Filter } from "./filter.ts";

export function impersonation({ impersonate, authorizer }: Context): Filter {
  if (impersonate === undefined) return {};
  return {
    enter(call) {
      if (!asksForIt(call.exchange.headerNames())) return;
      const user = impersonate(call.exchange, call.user, authorizer);
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
