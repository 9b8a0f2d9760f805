/** Finds the handler of a request that has passed all filters. */

import type { Verb } from "../machinery/schema/kind.ts";
import { warnOfDeprecation } from "./answer/deprecation.ts";
import type { Answer } from "./answer/reply.ts";
import { pageNotFound } from "./answer/vocabulary-hint.ts";
import { isTransaction } from "./contract/transactions.ts";
import { createDiscovery } from "./discovery/discovery.ts";
import { connect } from "./handlers/connect.ts";
import { create } from "./handlers/create.ts";
import { deleteOne } from "./handlers/delete.ts";
import { deleteCollection } from "./handlers/delete-collection.ts";
import { findTarget } from "./handlers/find-target.ts";
import { get } from "./handlers/get.ts";
import { list } from "./handlers/list.ts";
import { patch } from "./handlers/patch.ts";
import type { HandledTarget } from "./handlers/target.ts";
import { update } from "./handlers/update.ts";
import { watch } from "./handlers/watch.ts";
import { createPaths } from "./paths.ts";
import type { Call } from "./request/call.ts";
import type { ServerContext } from "./server/context.ts";
import { type HandlePart, runTransaction } from "./transactions/run-transaction.ts";

const handlers: Readonly<Record<Verb, (context: ServerContext, call: Call, target: HandledTarget) => Answer>> = {
  create,
  delete: deleteOne,
  deletecollection: deleteCollection,
  get,
  list,
  patch,
  update,
  watch,
};

/** A path with an action never refers to the object itself: a delete of pods/proxy must not delete the pod. */
function handlerOf({ subresource, verb }: HandledTarget) {
  return subresource?.action !== undefined && verb !== "create" ? connect : handlers[verb];
}

/** `handlePart`: how the operations of a transaction are handled. */
export function createDispatcher(context: ServerContext, handlePart: HandlePart): (call: Call) => Answer {
  const { delegate } = context;
  const paths = createPaths(context);
  const discover = createDiscovery(context);
  return (call) => {
    const { info } = call;
    const [group, version] = info.isResource ? [info.group, info.version] : groupVersionOf(info.path);
    if (delegate?.serves(group, version)) return delegate.handle(call.exchange, call);
    if (!info.isResource) return discover(call) ?? paths(call);
    const target = findTarget(context, call);
    if (target === undefined)
      return isTransaction(info) ? runTransaction(context, call, handlePart) : pageNotFound(context, call);
    context.metrics.began(call);
    if (target.kind.declaration.deprecated !== undefined) warnOfDeprecation(context, call, target.kind);
    return handlerOf(target)(context, call, target);
  };
}

/** For "/apis/GROUP/VERSION", where an aggregated server lists its resources. */
function groupVersionOf(path: string): readonly [group: string, version: string] {
  const [, root, group = "", version = ""] = path.split("/", 4);
  return root === "apis" ? [group, version] : ["", ""];
}
