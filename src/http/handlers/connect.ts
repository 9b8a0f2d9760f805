/** Subresources that would connect to something else (exec, logs, proxies): their action answers for every verb. */

import { admissionRequest } from "../../admission/request.ts";
import type { BoundSubresource } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { noSuchPath } from "../../machinery/status/status.ts";
import { actionNamed } from "../actions.ts";
import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import { type Query, queryFlag } from "../query.ts";
import { sendNothing } from "../respond.ts";
import type { Target } from "./target.ts";

/** Checks first whether the connection is allowed, then whether the object exists, as the reference does. */
export async function connect(context: Context, call: Call, target: Target): Promise<void> {
  const { kind, ref, subresource } = target;
  const { registry } = context;
  if (subresource?.action === undefined) throw noSuchPath();
  if (subresource.connects !== undefined) await admitConnection(context, call, target, subresource);
  const parameter = (name: string) => call.info.query.get(name);
  const action = actionNamed(context.actions, subresource.action);
  await action.connect?.({ kind, subresource: subresource.name, ref, registry, parameter });
  return sendNothing(call);
}

async function admitConnection(
  { admission }: Context,
  call: Call,
  { kind, ref }: Target,
  subresource: BoundSubresource,
): Promise<void> {
  if (admission === undefined) return;
  const write = {
    user: call.user,
    dryRun: false,
    fieldManager: "",
    warn: (text: string) => call.warn(text),
    annotate: (key: string, value: string) => call.annotate(key, value),
    caller: call,
  };
  const request = admissionRequest(kind, ref, write, {
    operation: "CONNECT",
    subresource: subresource.name,
    object: connectionOptions(subresource, call.info.query),
    old: undefined,
    of: "none",
  });
  await admission.mutate(request);
  await admission.validate(request);
}

/** The options of the connection, as an object of their own kind. */
function connectionOptions({ shownKind = "", connects = {} }: BoundSubresource, query: Query): ApiObject {
  const options: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(connects)) {
    const given = query.getAll(name);
    if (type === "texts" && given.length > 0) options[name] = given;
    if (type === "numbers" && given.length > 0) options[name] = given.flatMap((text) => text.split(",").map(Number));
    if (type === "flag" && given.length > 0 && queryFlag(given[0])) options[name] = true;
    if (type === "text" && given[0]) options[name] = given[0];
  }
  return { kind: shownKind, apiVersion: "v1", metadata: {}, ...options };
}
