/** PUT: replaces an object, or the part of it that a subresource shows. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { UpdateFunction } from "../../registry/contract/registry.ts";
import { replyAbout } from "../answer/reply.ts";
import { auditObject } from "../audit/request-object.ts";
import { bodyEncoding } from "../negotiation/content-type.ts";
import type { Call } from "../request/call.ts";
import { requireCreate } from "../request/rights.ts";
import type { ServerContext } from "../server/context.ts";
import { checkName, decodeBody } from "./decode-body.ts";
import { decodeValidated, readFieldValidation } from "./field-validation.ts";
import { warnOfMissed } from "./missed-members.ts";
import { readWriteOptions, writeContext } from "./options.ts";
import { sendSubresource } from "./subresource-view.ts";
import { acceptedKind, type HandledTarget } from "./target.ts";

export async function update(context: ServerContext, call: Call, target: HandledTarget): Promise<void> {
  const { kind, ref, subresource } = target;
  const accepted = acceptedKind(context, target);
  const reply = replyAbout(context, call, kind, subresource);
  const bytes = await context.bodies.read(call);
  const { mode, problems } = readFieldValidation(context, call);
  const options = readWriteOptions(call.info.query, "UpdateOptions", context.metaGroup, problems);
  const encoding = bodyEncoding(call.exchange, context.offer);
  const object = await decodeValidated(call, mode, { kind: accepted ?? kind, encoding, bytes });
  if (subresource === undefined) warnOfMissed(call, kind, bytes);
  auditObject(call, accepted ?? kind, object);
  checkName(object, ref);

  // The write path changes its argument, so a retry decodes the body again.
  let next: ApiObject | undefined = object;
  const take = () => {
    const given = next ?? decodeBody(accepted ?? kind, encoding, bytes);
    next = undefined;
    return given;
  };
  const change: UpdateFunction = (current) =>
    current === undefined ? requireCreate(context.authorizer, call).then(take) : take();
  const { entry, created } = await context.registry.update(kind, ref, change, writeContext(call, options), {
    ...(subresource === undefined ? {} : { subresource: subresource.name }),
    ...(object.metadata.uid ? { uid: object.metadata.uid } : {}),
    fresh: true,
    createIfMissing: subresource === undefined && kind.family.strategy.createOnUpdate === true,
  });
  call.mark("store");
  if (created) reply.code = 201;
  return sendSubresource(reply, target, entry);
}
