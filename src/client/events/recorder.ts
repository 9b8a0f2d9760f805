/** Records events in the background, one after the other for each server. */

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { AnyObject, Client, ResourceClient } from "../contract.ts";
import { hasReason } from "../requests/send.ts";
import type { ObjectReference, Recorder, Recorders } from "./contract.ts";
import { type Correlated, createCorrelator, type EventDraft } from "./correlator.ts";

interface RecordersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
}

/** Events that wait to be written; while the server does not answer, further ones are dropped. */
const waitingEventsMax = 1_000;

const eventsAddress = { group: "", version: "v1", resource: "events", kind: "Event", namespaced: true };

export function createRecorders({ client, clock, log }: RecordersOptions): Recorders {
  const correlator = createCorrelator(clock);
  const nextNumber = createSequence(clock);
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  let closed = false;

  const record = (at: Client, draft: EventDraft, involved: ObjectReference, cause: string | undefined) => {
    const events = at.at(eventsAddress);
    if (closed || waiting >= waitingEventsMax) return;
    waiting++;
    last = last
      .then(() => write(events, correlator, { clock, nextNumber, cause }, draft, involved))
      .catch((error: unknown) => log.debug("an event was not recorded", { reason: draft.reason, error }))
      .finally(() => {
        waiting--;
      });
  };

  return {
    of(component, at = client): Recorder {
      return {
        event(object, type, reason, message, cause) {
          const involved = referenceTo(object);
          record(at, { component, host: "", involved: { ...involved }, type, reason, message }, involved, cause);
        },
      };
    },
    async close() {
      await last;
      closed = true;
    },
  };
}

/** How an Event names an object. */
function referenceTo(object: AnyObject | ObjectReference): ObjectReference {
  if (!("metadata" in object)) return object;
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return { kind: object.kind, namespace, name, uid, apiVersion: object.apiVersion, resourceVersion };
}

interface Writing {
  readonly clock: Clock;
  nextNumber(): string;
  readonly cause: string | undefined;
}

async function write(
  events: ResourceClient<AnyObject & Record<string, unknown>>,
  correlator: ReturnType<typeof createCorrelator>,
  { clock, nextNumber, cause }: Writing,
  draft: EventDraft,
  involved: ObjectReference,
): Promise<void> {
  const correlated = correlator.correlate(draft);
  if (correlated.action === "drop") return;
  const namespace = involved.namespace || "default";
  if (correlated.action === "count" && (await count(events, { clock, cause }, namespace, correlated))) return;
  const now = timeText(clock.now());
  const name = `${involved.name ?? ""}.${nextNumber()}`;
  const event = {
    metadata: { namespace, name },
    involvedObject: involved,
    reason: draft.reason,
    message: correlated.message,
    source: { component: draft.component },
    firstTimestamp: timeText(correlated.firstTimestampMs),
    lastTimestamp: now,
    // The count continues when the Event itself has expired on the server.
    count: correlated.count,
    type: draft.type,
  };
  await events.create(event, { ignoresAnswer: true, cause });
  correlator.written(correlated.key, name);
}

/** False: the Event no longer exists. */
async function count(
  events: ResourceClient<AnyObject & Record<string, unknown>>,
  { clock, cause }: Pick<Writing, "clock" | "cause">,
  namespace: string,
  { name, count, message }: Extract<Correlated, { action: "count" }>,
): Promise<boolean> {
  try {
    const patch = { count, message, lastTimestamp: timeText(clock.now()) };
    await events.patch({ namespace, name }, patch, { type: "strategic", ignoresAnswer: true, cause });
    return true;
  } catch (error) {
    if (hasReason(error, "NotFound")) return false;
    throw error;
  }
}

/** Numbers that grow, as v1.21 makes them of the time in nanoseconds; no two are the same. */
function createSequence(clock: Clock): () => string {
  let within = 0;
  return () => {
    within = (within + 1) % 1_000_000;
    return (BigInt(Math.floor(clock.now())) * 1_000_000n + BigInt(within)).toString(16);
  };
}
