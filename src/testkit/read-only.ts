/** Refuses every write of a client, so that a server shows a state without changing it. */

import type { Interventions } from "../http/contract/interventions.ts";
import type { User } from "../machinery/meta/user.ts";
import { StatusError } from "../machinery/status/status.ts";

const readingVerbs = new Set(["get", "list", "watch", "head", "options"]);

/** Reviews are asked by a create and store nothing: clients ask them before they read. */
const isReview = ({ resource, subresource }: { readonly resource: string; readonly subresource: string }): boolean =>
  resource.endsWith("reviews") && subresource === "";

/** `filler`: the user who fills the server, as the very object, which no client can be. */
export function createReadOnly(filler?: User): Interventions {
  return {
    isActive: true,
    enter(request) {
      if (request.user === filler || readingVerbs.has(request.verb)) return;
      if (request.verb === "create" && isReview(request)) return;
      const what = `this server is read-only (--read-only), and does not ${request.verb} anything`;
      throw new StatusError("Forbidden", what);
    },
    leave() {},
  };
}
