/** Checks a right of the user and throws if it is missing: for the authorization filter, and for handlers that need one more. */

import type { Attributes, Authorizer, Decision } from "../../authz/contract.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { Call } from "./call.ts";

/** An update or apply of a missing object creates it, and so needs the right to create. */
export async function requireCreate(authorizer: Authorizer, call: Call): Promise<void> {
  const { user, info } = call;
  const { path, group, version, resource, subresource, namespace, name } = info;
  const place = { path, group, version, resource, subresource, namespace, name };
  const asked: Attributes = { user, verb: "create", isResource: true, ...place };
  enforce(asked, await authorizer.authorize(asked));
}

/** Throws a 403 if the decision does not allow the request. */
export function enforce(asked: Attributes, decision: Decision): void {
  if (decision.outcome !== "allow") throw refusal(asked, decision.reason);
}

/** Describes the request in the terms of the API, so that a reader knows which rule is missing. */
function refusal(info: Attributes, reason: string): StatusError {
  const because = reason === "" ? "" : `: ${reason}`;
  const who = `User "${info.user.name}" cannot ${info.verb}`;
  if (!info.isResource) {
    return new StatusError("Forbidden", `forbidden: ${who} path "${info.path}"${because}`, { details: {} });
  }
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  const where = info.namespace === "" ? "at the cluster scope" : `in the namespace "${info.namespace}"`;
  const what = `resource "${resource}" in API group "${info.group}" ${where}`;
  const subject = info.group === "" ? info.resource : `${info.resource}.${info.group}`;
  const named = info.name === "" ? "" : ` "${info.name}"`;
  return new StatusError("Forbidden", `${subject}${named} is forbidden: ${who} ${what}${because}`, {
    details: {
      ...(info.name === "" ? {} : { name: info.name }),
      ...(info.group === "" ? {} : { group: info.group }),
      kind: info.resource,
    },
  });
}
