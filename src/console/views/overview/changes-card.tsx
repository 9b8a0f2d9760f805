/** What happened in the last minutes, as Events tell. */

import { type Json, text } from "../../server/json.ts";
import { objectOf } from "../../state/route.ts";
import { Card } from "../card.tsx";
import type { Page } from "../page.ts";
import { EventIcon } from "../status.tsx";
import { Time } from "../time.tsx";

const shownMax = 12;

interface ChangesCardOptions {
  readonly page: Page;
  /** Undefined: they may not be listed. */
  readonly events: readonly Json[] | undefined;
}

const timeOf = (event: Json): string =>
  text(event, "lastTimestamp") ||
  text(event, "series", "lastObservedTime") ||
  text(event, "eventTime") ||
  text(event, "metadata", "creationTimestamp");

export function ChangesCard({ page, events }: ChangesCardOptions) {
  if (events === undefined) return null;
  const newest = events.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
  const groups = Map.groupBy(newest, (one) =>
    [
      text(one, "reason"),
      text(one, "involvedObject", "kind"),
      text(one, "involvedObject", "namespace"),
      stemOf(text(one, "involvedObject", "name")),
    ].join(" "),
  );
  return (
    <Card title="Recent events" class="changes-card">
      {events.length === 0 && <p class="note">No Events are kept.</p>}
      <ul class="changes-list">
        {[...groups]
          .slice(0, shownMax)
          .map(([key, [first, ...others]]) =>
            first === undefined ? null : <Change key={key} page={page} event={first} others={others.length} />,
          )}
      </ul>
    </Card>
  );
}

/** Pods of one workload differ in what stands after the last dashes. */
const stemOf = (name: string): string => name.replace(/(-[a-z0-9]{8,10})?-[a-z0-9]{5}$/, "");

function Change({ page, event, others }: { readonly page: Page; readonly event: Json; readonly others: number }) {
  const involved = (key: string) => text(event, "involvedObject", key);
  const resource = page.discovery.byKind(involved("apiVersion"), involved("kind"));
  const isWarning = text(event, "type") === "Warning";
  const name = <bdi>{involved("name")}</bdi>;
  return (
    <li>
      <EventIcon isWarning={isWarning} />
      <div class="problem">
        <p>
          <strong>{text(event, "reason")}</strong>{" "}
          {resource === undefined ? (
            name
          ) : (
            <a
              href={objectOf(resource, {
                name: involved("name"),
                namespace: resource.namespaced ? involved("namespace") : "",
              })}
            >
              {name}
            </a>
          )}
          {others > 0 && <small> and {others} like it</small>}
        </p>
        <p class="why">
          <bdi>{text(event, "message")}</bdi>
        </p>
      </div>
      <small class="when">
        <Time value={timeOf(event)} />
      </small>
    </li>
  );
}
