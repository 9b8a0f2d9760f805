/** An Event reports something that happened to an object; it vanishes after a while. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, microTime, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { EventSource } from "./event-source.ts";
import { ObjectReference } from "./references.ts";

export const EventSeries = struct("core.v1.EventSeries", {
  count: elided(int32()).at(1),
  lastObservedTime: elided(microTime()).at(2),
});
export type EventSeries = Static<typeof EventSeries>;

export const Event = kind({
  group: "",
  version: "v1",
  kind: "Event",
  resource: "events",
  scope: "Namespaced",
  shortNames: ["ev"],
  doc: "An Event reports something that happened to an object; it vanishes after a while.",
  fields: {
    involvedObject: ObjectReference.at(2),
    reason: elided(string()).at(3),
    message: elided(string()).at(4),
    source: elided(EventSource).at(5),
    firstTimestamp: elided(time()).at(6),
    lastTimestamp: elided(time()).at(7),
    count: elided(int32()).at(8),
    type: elided(string()).at(9),
    eventTime: elided(microTime()).at(10),
    series: optional(EventSeries).at(11),
    action: elided(string()).at(12),
    related: optional(ObjectReference).at(13),
    reportingComponent: string().listed(false).at(14),
    reportingInstance: string().listed(false).at(15),
  },
});
export type Event = Static<typeof Event>;
