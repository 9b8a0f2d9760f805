/** What happened to an object, as its Events tell. */

import { useEffect, useState } from "preact/hooks";
import { type Json, text } from "../server/json.ts";
import { eventsOf } from "../server/objects.ts";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { Time } from "./time.tsx";

export interface EventsOptions {
  readonly page: Page;
  readonly object: Json;
}

export function Events({ page, object }: EventsOptions) {
  const [events, setEvents] = useState<readonly Json[]>([]);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    eventsOf(page.connection, object).then(setEvents, setError);
  }, [text(object, "metadata", "resourceVersion")]);
  return (
    <section>
      <h2>Events</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {error === undefined && events.length === 0 && <p>none</p>}
      <ul class="events">
        {events.map((event) => (
          <li key={text(event, "metadata", "uid")} class={text(event, "type") === "Warning" ? "bad" : undefined}>
            <Time value={text(event, "lastTimestamp") || text(event, "eventTime")} />{" "}
            <strong>{text(event, "reason")}</strong> <bdi>{text(event, "message")}</bdi>
            {Number(event["count"] ?? 1) > 1 && <small> ×{text(event, "count")}</small>}
          </li>
        ))}
      </ul>
    </section>
  );
}
