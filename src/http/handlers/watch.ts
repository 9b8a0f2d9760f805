/** A watch: a stream of events that lasts until its timeout, until the client disconnects or until the server stops. */

import type { Clock } from "../../base/clock.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { badRequest, internalError, StatusError } from "../../machinery/status/status.ts";
import type { RegistryListQuery } from "../../registry/contract/registry.ts";
import type { Watch, WatcherEvent } from "../../registry/contract/watch.ts";
import { answerHeaders } from "../answer/reply.ts";
import { auditStart } from "../audit/stages.ts";
import { type Chosen, negotiatorFor } from "../negotiation/choose.ts";
import { createFrameEncoder, type FrameEncoder } from "../negotiation/watch-frames.ts";
import type { Call } from "../request/call.ts";
import { queryFlag } from "../request/query.ts";
import type { ServerContext } from "../server/context.ts";
import { EventStream } from "./event-stream.ts";
import { readListQuery } from "./list-options.ts";
import { readInteger } from "./options.ts";
import { conditionAlone } from "./question.ts";
import type { HandledTarget } from "./target.ts";

/** How long before its end a watch sends its last bookmark; a shorter watch sends it at its end. */
const lastBookmarkMs = 2_000;

export async function watch(context: ServerContext, call: Call, { kind }: HandledTarget): Promise<void> {
  const { exchange, info } = call;
  const chosen = negotiatorFor(context, kind).choose(exchange.header("accept"));
  const frames = createFrameEncoder(context.metaGroup, call, chosen, kind);
  const timeoutMs = timeoutOf(context, call);
  const condition = await conditionAlone(context, kind, info.query);
  const query = readListQuery(info);
  refuseTables(kind, chosen, query);
  const selector = info.named ? onlyNamed(info.name, query.fieldSelector) : undefined;
  const registered = await context.registry.watch(kind, {
    ...query,
    user: call.user,
    ...(selector === undefined ? {} : { fieldSelector: selector }),
    ...(condition === undefined ? {} : { question: { condition } }),
    allowBookmarks: queryFlag(info.query.get("allowWatchBookmarks")),
    isCheckedAsList: !queryFlag(info.query.get("watch")),
    signal: exchange.signal,
  });
  // A watch list this short has just sent the bookmark after its initial state.
  const endsMarked = !(query.sendInitialEvents === true && timeoutMs <= lastBookmarkMs);
  await run(context, call, { kind, registered, frames, timeoutMs, endsMarked });
}

/** Where a watch list cannot be shown as a Table. */
function refuseTables({ family }: BoundKind, { representation }: Chosen, query: RegistryListQuery): void {
  const { environment } = family;
  if (query.sendInitialEvents !== true || representation.view !== "Table" || environment.has("tablesOfWatchLists"))
    return;
  if (environment.gates.enabled("WatchList"))
    throw new StatusError("NotAcceptable", "a watch list is not shown as a Table");
}

interface Registered {
  readonly kind: BoundKind;
  readonly registered: Watch;
  readonly frames: FrameEncoder;
  readonly timeoutMs: number;
  /** Whether a last bookmark is sent. */
  readonly endsMarked: boolean;
}

/** Resolves when the watch is over, whichever side ended it. */
function run(context: ServerContext, call: Call, watching: Registered): Promise<void> {
  const { kind, registered, frames, timeoutMs, endsMarked } = watching;
  const { exchange } = call;
  const { clock, watches, metrics } = context;
  return new Promise((resolve) => {
    let over = false;
    const fail = (reason: Error | undefined) => {
      if (reason !== undefined && !over) exchange.write(frames.encodeError(statusOf(context, call, reason)));
      finish();
    };
    const stream = new EventStream(exchange, frames, {
      resume: () => over || registered.resume(),
      fail,
      sent: (events, bytes) => metrics.watchEvents(kind, events, bytes),
    });
    const finish = () => {
      if (!exchange.gone) registered.flush();
      if (over) return;
      over = true;
      release();
      metrics.watchEnded(kind);
      stopTimer();
      registered.close();
      exchange.end();
      resolve();
    };
    let release: () => void;
    try {
      release = watches.add(call, registered.requirements, finish);
    } catch (error) {
      registered.close();
      throw error; // before the answer has begun
    }
    exchange.respondEvents(answerHeaders(call, frames.type));
    auditStart(call);
    const stopTimer = startTimer(clock, timeoutMs, () => endsMarked && registered.bookmark(), finish);
    metrics.watchBegan(kind);
    exchange.onFinish(finish);
    registered.start({
      events(batch: readonly WatcherEvent[]) {
        if (over) return true;
        return stream.send(batch);
      },
      end: (reason) => stream.end(reason),
      // In memory a call costs nothing that waiting could save. Asynchronous conversions are shared by event, not by what was gathered.
      pace: exchange.transport === "memory" || !frames.isImmediate ? undefined : context.deliveries,
    });
    if (exchange.gone || context.lifecycle.ending.aborted) finish();
  });
}

/** Asks for the last bookmark shortly before the end. The returned function stops the timer that is running. */
function startTimer(clock: Clock, timeoutMs: number, bookmark: () => void, finish: () => void): () => void {
  const isShort = timeoutMs <= lastBookmarkMs;
  let stop = clock.after(isShort ? timeoutMs : timeoutMs - lastBookmarkMs, () => {
    bookmark();
    if (isShort) finish();
    else stop = clock.after(lastBookmarkMs, finish);
  });
  return () => stop();
}

function statusOf(context: ServerContext, call: Call, reason: Error): StatusError {
  if (reason instanceof StatusError) return reason;
  context.log.error("watch failed", { cause: reason, path: call.info.path, auditId: call.auditId });
  return internalError(`see the log of the server, request ${call.auditId}`, reason);
}

/** Watches without timeoutSeconds get random durations, so that those that began together do not all end together. */
function timeoutOf({ limits, catalog }: ServerContext, call: Call): number {
  const seconds = readInteger(call.info.query, "timeoutSeconds") ?? 0;
  // A negative timeout ends the watch at once, as in v1.21.
  if (seconds !== 0) return Math.max(0, Math.min(seconds, 86_400)) * 1_000;
  return limits.watchTimeoutMinMs * (1 + spread(catalog.environment.randomSuffix(4)));
}

/** A fraction below 1 from a random text. */
function spread(text: string): number {
  let value = 0;
  for (let i = 0; i < text.length; i++) value = (value * 31 + text.charCodeAt(i)) % 1_000;
  return value / 1_000;
}

/** The deprecated path /watch/…/NAME is a watch of the collection whose only selector is that name. */
function onlyNamed(name: string, selector: string | undefined): string {
  if (selector !== undefined) throw badRequest("a name and a field selector must not be given together");
  return `metadata.name=${name.replace(/[\\,=]/g, (one) => `\\${one}`)}`;
}
