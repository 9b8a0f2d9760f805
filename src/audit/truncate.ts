/** Removes the objects from events that are too large, and drops events that are too large without them. */

import type { AuditEvent, AuditSink } from "./contract.ts";
import type { AuditMetrics } from "./metrics.ts";
import { membersOf } from "./print.ts";

interface TruncateOptions {
  /** Bytes of one event as it is printed. */
  readonly eventBytesMax: number;
  /** The key of the annotation that marks a truncated event, in the server's vocabulary. */
  readonly annotation: string;
  readonly print: (event: AuditEvent) => string;
  readonly metrics: AuditMetrics;
}

export function withTruncation(
  sink: AuditSink,
  { eventBytesMax, annotation, print, metrics }: TruncateOptions,
): AuditSink {
  return {
    name: sink.name,
    write(event) {
      if (Buffer.byteLength(print(event)) <= eventBytesMax) return sink.write(event);
      const small = withoutObjects(event, annotation);
      if (Buffer.byteLength(print(small)) <= eventBytesMax) return sink.write(small);
      metrics.lost("truncate", 1);
    },
    close: () => sink.close(),
  };
}

function withoutObjects(event: AuditEvent, annotation: string): AuditEvent {
  const members = membersOf(event);
  const annotations = { ...members.annotations, [annotation]: "true" };
  const text = JSON.stringify({ ...members, annotations }).slice(1, -1);
  return { stage: event.stage, text, requestObject: undefined, responseObject: undefined };
}
