/** Event in the group events: newer names for what core events say, and strict about new ones. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, microTime, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { Event as Hub } from "../../core/v1/event.ts";
import { EventSource } from "../../core/v1/event-source.ts";
import { ObjectReference } from "../../core/v1/references.ts";
import { validateEvent } from "../../core/v1/validate-event.ts";
import { given } from "../../given.ts";
import { validateNewEvent } from "./validate-new-event.ts";

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
  selectableAs: {
    reason: "reason",
    "regarding.kind": "involvedObject.kind",
    "regarding.namespace": "involvedObject.namespace",
    "regarding.name": "involvedObject.name",
    "regarding.uid": "involvedObject.uid",
    "regarding.apiVersion": "involvedObject.apiVersion",
    "regarding.resourceVersion": "involvedObject.resourceVersion",
    "regarding.fieldPath": "involvedObject.fieldPath",
    reportingController: "reportingComponent",
    type: "type",
  },
  life: {
    name: "subdomain",
    plainFinalizers: false,
    metadataLast: false,
    validate: validateNewEvent,
    // What has been said may be said again in other words.
    validateUpdate: (event, _old, environment) => validateEvent(event, environment),
  },
  toHub(event) {
    const { regarding, note, reportingController, ...kept } = event;
    const { deprecatedSource, deprecatedFirstTimestamp, deprecatedLastTimestamp, deprecatedCount, ...rest } = kept;
    return given({
      ...rest,
      involvedObject: regarding ?? {},
      message: note,
      source: deprecatedSource,
      firstTimestamp: deprecatedFirstTimestamp,
      lastTimestamp: deprecatedLastTimestamp,
      count: deprecatedCount,
      reportingComponent: reportingController ?? "",
      reportingInstance: event.reportingInstance ?? "",
    });
  },
  fromHub(event) {
    const { involvedObject, message, source, firstTimestamp, lastTimestamp, count, reportingComponent, ...rest } =
      event;
    return given({
      ...rest,
      eventTime: event.eventTime ?? null,
      series: event.series && {
        count: event.series.count ?? 0,
        lastObservedTime: event.series.lastObservedTime ?? null,
      },
      regarding: involvedObject,
      note: message,
      deprecatedSource: source,
      deprecatedFirstTimestamp: firstTimestamp,
      deprecatedLastTimestamp: lastTimestamp,
      deprecatedCount: count,
      reportingController: reportingComponent,
    });
  },
});
export type Event = Static<typeof Event>;
