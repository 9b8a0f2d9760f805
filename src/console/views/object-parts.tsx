/** The parts of an object's page. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Json, part, parts, text } from "../server/json.ts";
import { type Dependent, dependentsOf, eventsOf } from "../server/objects.ts";
import { objectOf } from "../state/route.ts";
import { ageOf } from "../state/rows.ts";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { Wide } from "./wide.tsx";

const Time = ({ value }: { readonly value: string }) =>
  value === "" ? null : (
    <time dateTime={value} title={value}>
      {ageOf(Date.parse(value) || 0, Date.now())} ago
    </time>
  );

export function Summary({ object }: { readonly object: Json }) {
  const metadata = part(object, "metadata");
  const deleted = text(metadata, "deletionTimestamp");
  const finalizers = Array.isArray(metadata["finalizers"]) ? metadata["finalizers"].map(String) : [];
  return (
    <dl class="summary">
      <Fact name="Created">
        <Time value={text(metadata, "creationTimestamp")} />
      </Fact>
      {deleted !== "" && (
        <Fact name="Being deleted">
          <Time value={deleted} />
          {finalizers.length > 0 && `, waits for the finalizers ${finalizers.join(", ")}`}
        </Fact>
      )}
      {deleted === "" && finalizers.length > 0 && <Fact name="Finalizers">{finalizers.join(", ")}</Fact>}
      {text(object, "status", "phase") !== "" && <Fact name="Phase">{text(object, "status", "phase")}</Fact>}
      <Fact name="UID">
        <code>{text(metadata, "uid")}</code>
      </Fact>
      <Fact name="Labels">
        <Pairs values={part(metadata, "labels")} />
      </Fact>
      <Fact name="Annotations">
        <details>
          <summary>{Object.keys(part(metadata, "annotations")).length}</summary>
          <ul>
            {Object.keys(part(metadata, "annotations")).map((key) => (
              <li key={key}>
                <bdi>{key}</bdi>
              </li>
            ))}
          </ul>
        </details>
      </Fact>
    </dl>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

const Pairs = ({ values }: { readonly values: Json }) => (
  <>
    {Object.entries(values).map(([key, value]) => (
      <span class="pair" key={key}>
        <bdi>
          {key}={String(value)}
        </bdi>
      </span>
    ))}
    {Object.keys(values).length === 0 && "none"}
  </>
);

/** The latest change first. */
export function Conditions({ object }: { readonly object: Json }) {
  const time = (condition: Json) => text(condition, "lastTransitionTime");
  const conditions = parts(object, "status", "conditions").sort((a, b) => time(b).localeCompare(time(a)));
  if (conditions.length === 0) return null;
  return (
    <section>
      <h2>Conditions</h2>
      <Wide label="Conditions of the object">
        <table>
          <thead>
            <tr>
              <th scope="col">Type</th>
              <th scope="col">Status</th>
              <th scope="col">Since</th>
              <th scope="col">Reason</th>
              <th scope="col">Message</th>
            </tr>
          </thead>
          <tbody>
            {conditions.map((condition) => (
              <tr key={text(condition, "type")}>
                <th scope="row">{text(condition, "type")}</th>
                <td>{text(condition, "status")}</td>
                <td>
                  <Time value={time(condition)} />
                </td>
                <td>{text(condition, "reason")}</td>
                <td>
                  <bdi>{text(condition, "message")}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </section>
  );
}

interface PartOptions {
  readonly page: Page;
  readonly object: Json;
}

export function Relations({ page, object }: PartOptions) {
  const [found, setFound] = useState<readonly Dependent[] | undefined>(undefined);
  const [isReading, setReading] = useState(false);
  const namespace = text(object, "metadata", "namespace");
  const owners = parts(object, "metadata", "ownerReferences");
  const read = () => {
    setReading(true);
    dependentsOf(page.connection, page.discovery, object)
      .then(setFound)
      .finally(() => setReading(false));
  };
  return (
    <section>
      <h2>Owners and dependents</h2>
      <ul>
        {owners.map((owner) => {
          const name = text(owner, "name");
          const resource = page.discovery.byKind(text(owner, "apiVersion"), text(owner, "kind"));
          const label = `${text(owner, "kind")} ${name}`;
          const place = resource?.namespaced ? { name, namespace } : { name };
          return (
            <li key={text(owner, "uid")}>
              owned by {resource === undefined ? label : <a href={objectOf(resource, place)}>{label}</a>}
            </li>
          );
        })}
        {owners.length === 0 && <li>no owner</li>}
        {found?.map((one) => (
          <li key={`${one.resource.group}/${one.resource.resource}/${one.namespace}/${one.name}`}>
            owns{" "}
            <a href={objectOf(one.resource, one)}>
              {one.resource.kind} {one.name}
            </a>
          </li>
        ))}
        {found?.length === 0 && <li>no dependents</li>}
      </ul>
      {found === undefined && (
        <button type="button" disabled={isReading} onClick={read}>
          {isReading ? "Reading all kinds …" : "Find dependents"}
        </button>
      )}
    </section>
  );
}

export function Events({ page, object }: PartOptions) {
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
