/** Subresources that connect to something else (exec, logs, proxies): their action answers for every verb, or names a backend. */

import type { BoundSubresource } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { noSuchPath, serviceUnavailable } from "../../machinery/status/status.ts";
import { admissionRequest } from "../../registry/admission-request.ts";
import { sendNothing } from "../answer/respond.ts";
import type { Call } from "../request/call.ts";
import { proxySubresource, splitProxiedTarget } from "../request/proxied-path.ts";
import { queryFlag } from "../request/query.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { requireCreate } from "../request/rights.ts";
import { actionNamed } from "../server/actions.ts";
import type { ServerContext } from "../server/context.ts";
import type { HandledTarget } from "./target.ts";

/** Checks first whether the connection is allowed, then whether the object exists, as the reference does. */
export async function connect(context: ServerContext, call: Call, target: HandledTarget): Promise<void> {
  const { kind, ref, subresource } = target;
  const { registry } = context;
  if (subresource?.action === undefined) throw noSuchPath();
  if (subresource.connects !== undefined) await admitConnection(context, call, target, subresource);
  await requireRight(context, call, subresource);
  const { query } = call.info;
  const action = actionNamed(context.actions, subresource.action);
  const backend = await action.connect?.({
    kind,
    subresource: subresource.name,
    ref,
    registry,
    parameter: (name) => query.get(name),
    parameters: (name) => query.getAll(name),
  });
  if (backend === undefined) return sendNothing(call);
  if (context.proxy === undefined) throw serviceUnavailable("this server does not forward requests to backends");
  const parts = splitProxiedTarget(call.exchange.target, call.info.rest.length);
  await context.proxy.handle(call.exchange, call, { backend, ...parts });
}

/** Who may only read must not get a shell because WebSockets begin with GET. */
async function requireRight(
  { catalog, authorizer }: ServerContext,
  call: Call,
  { createGate }: BoundSubresource,
): Promise<void> {
  if (createGate === undefined || call.info.verb === "create") return;
  if (catalog.environment.gates.enabled(createGate)) await requireCreate(authorizer, call);
}

async function admitConnection(
  { admission }: ServerContext,
  call: Call,
  { kind, ref }: HandledTarget,
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
    object: connectionOptions(subresource, call.info),
    old: undefined,
    of: "none",
  });
  await admission.mutate(request);
  await admission.validate(request);
}

/** The options of the connection, as an object of their own kind. */
function connectionOptions(
  { name: subresource, shownKind = "", connects = {} }: BoundSubresource,
  { query, path, rest }: RequestInfo,
): ApiObject {
  const options: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(connects)) {
    const given = query.getAll(name);
    if (type === "texts" && given.length > 0) options[name] = given;
    if (type === "numbers" && given.length > 0) options[name] = given.flatMap((text) => text.split(",").map(Number));
    if (type === "flag" && given.length > 0 && queryFlag(given[0])) options[name] = true;
    if (type === "text" && given[0]) options[name] = given[0];
  }
  if (subresource === proxySubresource) {
    // The path behind the subresource counts, never a parameter of that name, which belongs to the backend.
    const asked = `${rest.length > 0 ? `/${rest.join("/")}` : ""}${path.endsWith("/") ? "/" : ""}`;
    if (asked === "") delete options["path"];
    else options["path"] = asked;
  }
  return { kind: shownKind, apiVersion: "v1", metadata: {}, ...options };
}
