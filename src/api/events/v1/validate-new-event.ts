/** The rules of Events that are written through the group events: no deprecated fields, and all new ones. */

import { elided, int32, microTime, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { unchanged } from "../../../machinery/schema/unchanged.ts";
import { type FieldErrors, invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { EventSource } from "../../core/v1/event.ts";
import { ObjectReference } from "../../core/v1/references.ts";
import { type EventParts, validateEvent } from "../../core/v1/validate-event.ts";

const unset = (value: unknown, path: string): FieldErrors => [invalid(path, value, "must not be set in this version")];

/** Fields have their names of core events, whatever the client calls them. Only the series of an existing Event may change. */
const StrictEvent = struct("", {
  involvedObject: ObjectReference.immutable(),
  reason: elided(string()).immutable(),
  message: elided(string()).immutable(),
  series: optional(
    struct("", {
      count: elided(int32()).atLeast(2, "must be at least 2").evenEmpty(),
      lastObservedTime: elided(microTime()).required(),
    }),
  ),
  eventTime: elided(microTime()).required().immutable(),
  type: elided(string()).oneOf(["Normal", "Warning"], "must be Normal or Warning").evenEmpty().immutable(),
  firstTimestamp: elided(time()).checked(unset).immutable(),
  lastTimestamp: elided(time()).checked(unset).immutable(),
  count: elided(int32()).checked(unset).immutable(),
  source: elided(EventSource)
    .checked((source, path) => (source.component || source.host ? unset(source, path) : noErrors))
    .immutable(),
  reportingComponent: string().reported("reportingController").immutable(),
  reportingInstance: string().immutable(),
  action: elided(string()).immutable(),
  related: optional(ObjectReference).immutable(),
});
const checkNew = checker<object>(StrictEvent);
const keep = unchanged<object>(StrictEvent);

export const validateEventKept = (event: EventParts, old: EventParts, { level }: Environment): FieldErrors =>
  keep(event, old, "", level);

export const validateNewEvent = (event: EventParts, environment: Environment): FieldErrors => [
  ...validateEvent(event, environment),
  ...checkNew(event, "", environment),
];
