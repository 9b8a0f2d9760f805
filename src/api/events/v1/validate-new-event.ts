/** Checks of Events that are created through the group events: no deprecated fields, and all new ones. */

import type { Environment } from "../../../machinery/schema/schema.ts";
import { type FieldError, invalid, required } from "../../../machinery/status/field-error.ts";
import type { EventSource } from "../../core/v1/event.ts";
import type { ObjectReference } from "../../core/v1/references.ts";
import { type EventParts, validateEvent } from "../../core/v1/validate-event.ts";
import { immutable } from "../../validation.ts";

interface NewEventParts extends EventParts {
  readonly type?: string;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null };
  readonly source?: EventSource;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly count?: number;
  readonly related?: ObjectReference;
}

const kept = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "reportingComponent",
  "reportingInstance",
  "type",
  "eventTime",
  "action",
  "related",
] as const;

/** Only the series of an existing Event may change. */
export const validateEventKept = (event: NewEventParts, old: NewEventParts): FieldError[] =>
  kept.flatMap((field) =>
    immutable(field === "reportingComponent" ? "reportingController" : field, event[field], old[field]),
  );

/** Fields have their names of core events, whatever the client calls them. */
export function validateNewEvent(event: NewEventParts, environment: Environment): FieldError[] {
  const errors = validateEvent(event, environment);
  const { series, source, type } = event;
  if (series) {
    if ((series.count ?? 0) < 2) errors.push(invalid("series.count", series.count ?? 0, "must be at least 2"));
    if (!series.lastObservedTime) errors.push(required("series.lastObservedTime"));
  }
  if (!event.eventTime) errors.push(required("eventTime"));
  if (type !== "Normal" && type !== "Warning") errors.push(invalid("type", type ?? "", "must be Normal or Warning"));
  const unset = "must not be set in this version";
  if (event.firstTimestamp) errors.push(invalid("firstTimestamp", event.firstTimestamp, unset));
  if (event.lastTimestamp) errors.push(invalid("lastTimestamp", event.lastTimestamp, unset));
  if (event.count) errors.push(invalid("count", event.count, unset));
  if (source?.component || source?.host) errors.push(invalid("source", source, unset));
  return errors;
}
