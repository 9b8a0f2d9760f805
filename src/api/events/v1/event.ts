/** An Event reports something that happened to an object; it vanishes after a while. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, microTime, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { Event as Hub } from "../../core/v1/event.ts";
import { EventSource } from "../../core/v1/event-source.ts";
import { ObjectReference } from "../../core/v1/references.ts";

export const EventSeries = struct("events.v1.EventSeries", {
  count: int32().at(1),
  lastObservedTime: microTime().at(2),
});
export type EventSeries = Static<typeof EventSeries>;

export const Event = version(Hub, {
  group: "events.orch.io",
  version: "v1",
  fields: {
    eventTime: microTime().at(2),
    series: optional(EventSeries).at(3),
    reportingController: elided(string()).at(4),
    reportingInstance: elided(string()).at(5),
    action: elided(string()).at(6),
    reason: elided(string()).at(7),
    regarding: elided(ObjectReference).at(8),
    related: optional(ObjectReference).at(9),
    note: elided(string()).at(10),
    type: elided(string()).at(11),
    deprecatedSource: elided(EventSource).at(12),
    deprecatedFirstTimestamp: elided(time()).at(13),
    deprecatedLastTimestamp: elided(time()).at(14),
    deprecatedCount: elided(int32()).at(15),
  },
});
export type Event = Static<typeof Event>;
