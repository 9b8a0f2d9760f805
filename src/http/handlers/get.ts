/** GET of one object or of one of its subresources. */

import { badRequest, StatusError } from "../../machinery/status/status.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import type { GetOptions } from "../../registry/contract/registry.ts";
import { replyAbout } from "../answer/reply.ts";
import type { Call } from "../request/call.ts";
import { type Query, queryFlag } from "../request/query.ts";
import type { ServerContext } from "../server/context.ts";
import { requestConventionsOf } from "./conventions.ts";
import { sendSubresource } from "./subresource-view.ts";
import type { HandledTarget } from "./target.ts";

export function get(context: ServerContext, call: Call, target: HandledTarget): void | Promise<void> {
  const { kind, ref, subresource } = target;
  const { query } = call.info;
  const reply = replyAbout(context, call, kind, subresource);
  if (!query.empty && queryFlag(query.get("export"))) throw badRequest("the export parameter is no longer supported");
  const options = query.empty ? undefined : readMoment(query);
  const send = (entry: Entry) => sendSubresource(reply, target, entry);
  const ready = options === undefined ? context.registry.getNow(kind, ref) : undefined;
  if (ready !== undefined) return send(ready);
  const found = context.registry.get(kind, ref, { ...options, user: call.user });
  const sendFound = (entry: Entry) => {
    call.mark("store");
    return send(entry);
  };
  const isNamed = requestConventionsOf(kind).namesSubresource && !kind.family.environment.has("plainNotFound");
  if (subresource?.view === undefined || !isNamed) return found.then(sendFound);
  const group = subresource.accepts?.group ?? "";
  return found.then(sendFound, (error) => {
    throw ofSubresource(error, subresource.name, group);
  });
}

/** Undefined: the newest state is asked for. */
function readMoment(query: Query): GetOptions | undefined {
  const resourceVersion = query.get("resourceVersion") ?? "";
  const atTime = query.get("atTime") ?? "";
  if (resourceVersion === "" && atTime === "") return undefined;
  if (resourceVersion !== "" && atTime !== "")
    throw badRequest("resourceVersion must not be given together with atTime");
  return atTime === ""
    ? { resourceVersion, resourceVersionMatch: query.get("resourceVersionMatch") ?? "" }
    : { atTime };
}

/** Before 1.22 the reference names the subresource if its own storage finds nothing; for the core group with the group of its kind. */
function ofSubresource(error: unknown, name: string, group: string): unknown {
  if (!(error instanceof StatusError) || error.reason !== "NotFound" || error.details?.kind === undefined) return error;
  const details = { ...(group === "" ? {} : { group }), ...error.details, kind: `${error.details.kind}/${name}` };
  return new StatusError("NotFound", error.message, { details, cause: error });
}
