/** An Event reports something that happened to an object; it expires after the event TTL. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, microTime, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { ageText, nameColumn } from "../../columns.ts";
import { ObjectReference } from "./references.ts";
import { validateCoreEvent } from "./validate-event.ts";

export const EventSource = struct("core.v1.EventSource", {
  component: elided(string())
    .at(1)
    .doc("The name of the component that reported the Event, such as deployment-controller."),
  host: elided(string()).at(2).doc("The node on which the component runs."),
});
export type EventSource = Static<typeof EventSource>;

const EventSeries = struct("core.v1.EventSeries", {
  count: elided(int32()).at(1).doc("How often the event was seen up to lastObservedTime."),
  lastObservedTime: elided(microTime()).at(2).doc("When the Event last occurred."),
});
type EventSeries = Static<typeof EventSeries>;

export const Event = kind({
  group: "",
  version: "v1",
  kind: "Event",
  resource: "events",
  scope: "Namespaced",
  shortNames: ["ev"],
  doc: "An Event reports something that happened to an object; it expires after the event TTL.",
  fields: {
    involvedObject: ObjectReference.at(2).doc("The object that the event is about."),
    reason: elided(string()).at(3).doc("One CamelCase word that says why the action was taken."),
    message: elided(string()).at(4).doc("A sentence for people about what happened."),
    source: elided(EventSource).at(5).doc("The component that reported the event."),
    firstTimestamp: elided(time()).at(6).doc("When the Event first occurred."),
    lastTimestamp: elided(time()).at(7).doc("When the Event last occurred."),
    count: elided(int32()).at(8).doc("How often the Event has occurred."),
    type: elided(string()).at(9).doc("The type of the Event: Normal for information, Warning for a problem."),
    eventTime: elided(microTime()).at(10).doc("When the event was first observed; required."),
    series: optional(EventSeries).at(11).doc("How often the event was repeated. Absent: it happened once."),
    action: elided(string()).at(12).doc("What was done or failed, as one CamelCase word."),
    related: optional(ObjectReference)
      .at(13)
      .doc("A second object that the Event concerns. Absent: only one is concerned."),
    reportingComponent: string().listed(false).at(14).doc("The name of the controller that reported the event."),
    reportingInstance: string().listed(false).at(15).doc("The instance of that controller, such as a pod name."),
  },
  name: "pathSegment",
  createOnUpdate: true,
  plainFinalizers: true,
  compat: { metadataLast: true, metadataListed: true },
  ttlSeconds: 3600,
  isFleeting: true,
  validate: validateCoreEvent,
  selectableFields: {
    "involvedObject.kind": (event) => event.involvedObject.kind ?? "",
    "involvedObject.namespace": (event) => event.involvedObject.namespace ?? "",
    "involvedObject.name": (event) => event.involvedObject.name ?? "",
    "involvedObject.uid": (event) => event.involvedObject.uid ?? "",
    "involvedObject.apiVersion": (event) => event.involvedObject.apiVersion ?? "",
    "involvedObject.resourceVersion": (event) => event.involvedObject.resourceVersion ?? "",
    "involvedObject.fieldPath": (event) => event.involvedObject.fieldPath ?? "",
    reason: (event) => event.reason ?? "",
    reportingComponent: (event) => event.reportingComponent,
    source: (event) => event.source?.component || event.reportingComponent,
    type: (event) => event.type ?? "",
  },
  columns: (column) => [
    column("Last Seen", lastSeen),
    column("Type", (event) => event.type ?? ""),
    column("Reason", (event) => event.reason ?? ""),
    column("Object", (event) => objectText(event.involvedObject)),
    column("Subobject", (event) => event.involvedObject.fieldPath ?? "", { priority: 1 }),
    column("Source", sourceText, { priority: 1 }),
    column("Message", (event) => (event.message ?? "").trim()),
    column("First Seen", firstSeen, { priority: 1 }),
    column("Count", count, { priority: 1 }),
    { ...nameColumn, priority: 1 },
  ],
});
export type Event = Static<typeof Event>;

interface EventParts {
  metadata: ObjectMeta;
  involvedObject: ObjectReference;
  source?: EventSource;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  count?: number;
  series?: EventSeries;
  reportingComponent: string;
  reportingInstance: string;
}

const objectText = ({ kind = "", name }: ObjectReference) =>
  name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase();

function sourceText(event: EventParts): string {
  const component = event.source?.component || event.reportingComponent;
  const host = event.source?.host || event.reportingInstance;
  return host === "" ? component : `${component}, ${host}`;
}

function firstSeen(event: EventParts, environment: Environment): string {
  return ageText(event.firstTimestamp ?? event.eventTime, environment);
}

function lastSeen(event: EventParts, environment: Environment): string {
  if (event.series) return ageText(event.series.lastObservedTime, environment);
  return event.lastTimestamp ? ageText(event.lastTimestamp, environment) : firstSeen(event, environment);
}

/** An event without any count happened once. */
function count(event: EventParts): number {
  if (event.series) return event.series.count ?? 0;
  return event.count || 1;
}
