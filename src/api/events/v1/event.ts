/** Event in the group events: newer names for the fields of core Events, and stricter validation of new ones. */

import { given } from "../../../machinery/json/json-value.ts";
import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, microTime, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { EventSource, Event as Hub } from "../../core/v1/event.ts";
import { ObjectReference } from "../../core/v1/references.ts";
import { validateEvent } from "../../core/v1/validate-event.ts";
import { has } from "../../features.ts";
import { validateEventKept, validateNewEvent } from "./validate-new-event.ts";

const EventSeries = struct("events.v1.EventSeries", {
  count: int32().at(1).doc("How often the event was seen up to lastObservedTime."),
  lastObservedTime: microTime().at(2).doc("When the Event last occurred."),
});

export const Event = version(Hub, {
  group: "events.orch.io",
  version: "v1",
  fields: {
    eventTime: microTime().at(2).doc("When the event was first observed; required."),
    series: optional(EventSeries).at(3).doc("How often the event was repeated. Absent: it happened once."),
    reportingController: elided(string()).at(4).doc("The name of the controller that reported the event."),
    reportingInstance: elided(string()).at(5).doc("The instance of that controller, such as a pod name."),
    action: elided(string()).at(6).doc("What was done or failed, as one CamelCase word."),
    reason: elided(string()).at(7).doc("One CamelCase word that says why the action was taken."),
    regarding: elided(ObjectReference).at(8).doc("The object that the event is about."),
    related: optional(ObjectReference)
      .at(9)
      .doc("A second object that the Event concerns. Absent: only one is concerned."),
    note: elided(string()).at(10).doc("A sentence for people about what happened, at most 1 kB."),
    type: elided(string())
      .at(11)
      .doc("The type of the Event: Normal for information, Warning for a problem. Required for new Events."),
    deprecatedSource: elided(EventSource).at(12).doc("Deprecated: the component that reported the event."),
    deprecatedFirstTimestamp: elided(time()).at(13).doc("Deprecated: when the event was first seen."),
    deprecatedLastTimestamp: elided(time()).at(14).doc("Deprecated: when the event was last seen."),
    deprecatedCount: elided(int32()).at(15).doc("Deprecated: how often the event was seen."),
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
  compat: { metadataLast: false, metadataListed: false },
  strategy: {
    name: "subdomain",
    plainFinalizers: false,
    validate: validateNewEvent,
    // Fields may be sent again under their other names.
    validateUpdate: (event, old, environment) => [
      ...validateEvent(event, environment),
      ...(has(environment, "keptEvents") && old.eventTime ? validateEventKept(event, old, environment) : []),
    ],
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
