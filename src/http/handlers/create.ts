/** POST: a new object, a review that is answered and not stored, or an action on an object. */

import type { Status } from "../../machinery/status/status.ts";
import { replyAbout } from "../answer/reply.ts";
import { sendEntry } from "../answer/send-entry.ts";
import { sendVirtualObject } from "../answer/send-virtual-object.ts";
import { auditObject } from "../audit/request-object.ts";
import { bodyEncoding } from "../negotiation/content-type.ts";
import type { Call } from "../request/call.ts";
import { actionNamed } from "../server/actions.ts";
import type { ServerContext } from "../server/context.ts";
import { connect } from "./connect.ts";
import { decodeValidated, readFieldValidation } from "./field-validation.ts";
import { warnOfMissed } from "./missed-members.ts";
import { readWriteOptions, writeContext } from "./options.ts";
import { acceptedKind, type HandledTarget } from "./target.ts";

export async function create(context: ServerContext, call: Call, target: HandledTarget): Promise<void> {
  const { kind, ref, subresource } = target;
  const accepted = acceptedKind(context, target);
  const name = subresource === undefined ? kind.declaration.action : subresource.action;
  const action = name === undefined ? undefined : actionNamed(context.actions, name);
  if (subresource !== undefined && action?.create === undefined) return connect(context, call, target);

  const reply = replyAbout(context, call, kind, subresource);
  reply.code = 201;
  const encoding = bodyEncoding(call.exchange, context.offer);
  const bytes = await context.bodies.read(call);
  const { mode, problems } = readFieldValidation(context, call);
  const options = readWriteOptions(call.info.query, "CreateOptions", context.metaGroup, problems);
  // Bodies that arrive in one turn are decoded one after the other. A lone create does not wait.
  const gathered = context.registry.batching.gather();
  if (gathered !== undefined) await gathered;
  const object = await decodeValidated(call, mode, { kind: accepted ?? kind, encoding, bytes });
  if (subresource === undefined) warnOfMissed(call, kind, bytes);
  auditObject(call, accepted ?? kind, object);
  const write = writeContext(call, options);

  if (action?.create === undefined) {
    // Not awaited here, so that neither the body nor the decoded object is held in memory while the disk works.
    const written = context.registry.create(kind, object, ref, write);
    return written.then(({ entry }) => {
      call.mark("store");
      return sendEntry(reply, kind, entry);
    });
  }
  const { registry } = context;
  const answer = await action.create({ kind, accepted, ref, body: object, context: write, registry });
  // As v1.21: the audit event of a binding or an eviction has the Status that the client gets.
  if (isStatus(answer.object)) call.answered = answer.object;
  const answered = context.catalog.byKind(...typeOf(answer.object)) ?? accepted ?? kind;
  reply.code = answer.code;
  return sendVirtualObject(reply, answer.object, answered.codec.protobuf);
}

const isStatus = (object: object): object is Status => "kind" in object && object.kind === "Status";

function typeOf(object: { apiVersion?: string; kind?: string }): [group: string, version: string, kind: string] {
  const [version = "", group = ""] = (object.apiVersion ?? "").split("/").reverse();
  return [group, version, object.kind ?? ""];
}
