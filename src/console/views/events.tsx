/** What happened to an object, as its Events tell, live. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { type Json, text } from "../server/json.ts";
import { nameOf, useFollowed } from "./followed.ts";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { EventIcon } from "./status.tsx";
import { Time } from "./time.tsx";

interface EventsOptions {
  readonly page: Page;
  readonly object: Json;
}

export function Events({ page, object }: EventsOptions) {
  const resource = page.discovery.resources.find((one) => one.resource === "events" && one.group === "");
  return resource === undefined ? null : <EventList page={page} object={object} resource={resource} />;
}

const timeOf = (event: Json): string => text(event, "lastTimestamp") || text(event, "eventTime");

function EventList({ page, object, resource }: EventsOptions & { readonly resource: DiscoveredResource }) {
  // Events about objects without a namespace are in this one.
  const namespace = text(object, "metadata", "namespace") || "default";
  const query = { fieldSelector: `involvedObject.uid=${text(object, "metadata", "uid")}` };
  const { objects, error } = useFollowed(page, resource, query, namespace);
  const events = (objects ?? []).toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
  return (
    <section>
      <h2>Events</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {objects?.length === 0 && error === undefined && <p class="note">No events.</p>}
      <ul class="events">
        {events.map((event) => (
          <li key={nameOf(event)}>
            <EventIcon isWarning={text(event, "type") === "Warning"} />
            <div>
              <strong>{text(event, "reason")}</strong>
              {Number(event["count"] ?? 1) > 1 && <small> ×{text(event, "count")}</small>}
              <bdi class="below">{text(event, "message")}</bdi>
            </div>
            <small class="when">
              <Time value={timeOf(event)} />
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}
