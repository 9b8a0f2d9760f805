/** The server at a glance: requests, health checks, what is not well, and the number of objects of each kind. */

import { useEffect, useState } from "preact/hooks";
import type { Connection } from "../server/connection.ts";
import { countObjects, type HealthCheck, type KindCount, readHealth } from "../server/overview.ts";
import { readUnhealthy, type UnhealthyObject, unhealthyMax } from "../server/unhealthy.ts";
import { objectOf, objectsOf } from "../state/route.ts";
import { healthChecks } from "../state/unhealthy.ts";
import { ErrorNote, Waiting } from "./notes.tsx";
import { OverviewPlots } from "./overview-plots.tsx";
import type { Page } from "./page.ts";

export interface OverviewOptions {
  readonly connection: Connection;
  /** Undefined: what the server serves is still read. */
  readonly page: Page | undefined;
}

/** Plots follow the server. The rest is read when the view is opened, when the tab is seen again, and on request. */
export function Overview({ connection, page }: OverviewOptions) {
  const [looks, setLooks] = useState(0);
  const look = () => setLooks((before) => before + 1);
  useEffect(() => {
    const onSeen = () => document.visibilityState === "visible" && look();
    document.addEventListener("visibilitychange", onSeen);
    return () => document.removeEventListener("visibilitychange", onSeen);
  }, []);
  return (
    <article>
      <div class="tools">
        <h1>Overview</h1>
        <button type="button" onClick={look}>
          Look again
        </button>
      </div>
      <OverviewPlots connection={connection} />
      <Health key={`health ${looks}`} connection={connection} />
      {page !== undefined && <Unhealthy key={`unhealthy ${looks}`} page={page} />}
      {page !== undefined && <Counts key={`counts ${looks}`} page={page} />}
    </article>
  );
}

function Unhealthy({ page }: { readonly page: Page }) {
  const [found, setFound] = useState<readonly UnhealthyObject[] | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    void readUnhealthy(page, healthChecks, ended.signal).then((all) => ended.signal.aborted || setFound(all));
    return () => ended.abort();
  }, []);
  if (found === undefined) return null;
  return (
    <section>
      <h2>What is not well</h2>
      {found.length === 0 && <p>Nothing, as far as the objects say that you may list.</p>}
      <ul class="events">
        {found.map(({ resource, name, namespace, why }) => (
          <li key={`${resource.resource}/${namespace}/${name}`}>
            <a href={objectOf(resource, { name, namespace })}>
              {resource.kind} <bdi>{name}</bdi>
            </a>
            {namespace !== "" && <small> in {namespace}</small>} <bdi>{why}</bdi>
          </li>
        ))}
      </ul>
      {found.length >= unhealthyMax && <p>There are more than these {unhealthyMax}.</p>}
    </section>
  );
}

function Health({ connection }: { readonly connection: Connection }) {
  const [checks, setChecks] = useState<readonly HealthCheck[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    readHealth(connection, ended.signal).then(setChecks, (failure) => ended.signal.aborted || setError(failure));
    return () => ended.abort();
  }, []);
  const bad = checks?.filter(({ isOk }) => !isOk) ?? [];
  return (
    <section>
      <h2>Health</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {checks !== undefined && bad.length === 0 && <p>All {checks.length} checks are passed.</p>}
      {bad.length > 0 && (
        <ul>
          {bad.map(({ name }) => (
            <li class="bad" key={name}>
              {name} fails
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Counts({ page }: { readonly page: Page }) {
  const [counts, setCounts] = useState<readonly KindCount[] | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    void countObjects(page.connection, page.discovery, setCounts, ended.signal);
    return () => ended.abort();
  }, []);
  const most = Math.max(...(counts ?? []).map(({ count }) => count), 1);
  return (
    <section>
      <h2>Objects</h2>
      {counts === undefined && <Waiting what="the number of objects" />}
      {counts?.length === 0 && <p>None that you may list.</p>}
      <ul class="counts">
        {counts?.map(({ resource, count }) => (
          <li key={`${resource.group}/${resource.resource}`}>
            <a href={objectsOf(resource)}>
              {resource.resource} {resource.group !== "" && <small>{resource.group}</small>}
            </a>
            <meter aria-label={resource.resource} min={0} max={most} value={count} />
            <span>{count}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
