/** `server.handler()`: the server inside an app, which says who its users are. */

import type { Log } from "../../base/log.ts";
import type { MemoryFetchAs } from "../../http/contract/listener.ts";
import type { User } from "../../machinery/meta/user.ts";
import { StatusError, unauthorized } from "../../machinery/status/status.ts";
import { checkUser } from "./check-options.ts";
import type { FetchUser, RequestHandlerOptions } from "./options.ts";

export function createRequestHandler(
  fetchAs: MemoryFetchAs,
  log: Log,
  { authenticate, prefix = "" }: RequestHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const base = prefix.replace(/\/+$/, "");
  return async (request) => {
    const target = targetUnder(base, request.url);
    if (target === undefined) return answer(new StatusError("NotFound", `only paths under ${base}/ are served here`));
    let user: User | undefined;
    try {
      const given = await authenticate?.(request);
      if (given !== undefined && given !== null) user = userOf("authenticate", given);
    } catch (error) {
      // A failure must not let anyone in, nor tell a stranger why.
      if (!(error instanceof StatusError)) log.error("the authentication of a request failed", { error });
      return answer(error instanceof StatusError ? error : unauthorized());
    }
    return fetchAs(user, new Request(new URL(target, "http://in-process"), request));
  };
}

/** `what`: the function that was given the user, for the error. */
export function userOf(what: string, given: FetchUser): User {
  checkUser(what, given);
  const { name, groups = [], uid = "", extra = {} } = given;
  if (typeof name !== "string" || name === "") throw new TypeError('a user needs a name, such as { name: "eve" }');
  return {
    name,
    uid,
    groups: [...new Set([...groups, "system:authenticated"])],
    extra: new Map(Object.entries(extra).map(([key, values]) => [key.toLowerCase(), values])),
  };
}

/** Undefined: the path is not under the prefix. */
function targetUnder(base: string, url: string): string | undefined {
  const { pathname, search } = new URL(url);
  if (base === "") return pathname + search;
  if (pathname !== base && !pathname.startsWith(`${base}/`)) return undefined;
  return `/${pathname.slice(base.length + 1)}${search}`;
}

function answer(error: StatusError): Response {
  return Response.json(error.toStatus(), { status: error.code });
}
