/** Faults and copies of a server for tests, where it has them. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { follow } from "../server/follow.ts";
import { type Json, part, parts, text } from "../server/json.ts";
import { deleteObject } from "../server/objects.ts";
import { createFaultPlan, createFork, deleteFork, readForks } from "../server/testing.ts";
import { objectOf } from "../state/route.ts";
import { Field } from "./field.tsx";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { Wide } from "./wide.tsx";

export function Testing({ page }: { readonly page: Page }) {
  const plans = page.discovery.find("faultplans");
  return (
    <article>
      <h1>Testing</h1>
      {plans === undefined ? (
        <p class="note">This server does not serve fault plans: start it with --enable-testing.</p>
      ) : (
        <FaultPlans page={page} resource={plans} />
      )}
      <Forks page={page} />
    </article>
  );
}

/** What a fault can do, by the words of the form. */
const effects: Readonly<Record<string, Json>> = {
  "answer 409 Conflict": { status: 409 },
  "answer 429 Too Many Requests": { status: 429, retryAfterSeconds: 1 },
  "answer 500": { status: 500 },
  "answer 503": { status: 503 },
  "carry out, then answer 504": { status: 504, when: "after" },
  "wait for 2 s": { latencyMs: 2_000 },
  "cut the connection": { connection: "cut" },
  "drop events of watches": { events: "drop" },
  "send events twice": { events: "duplicate" },
};

function FaultPlans({ page, resource }: { readonly page: Page; readonly resource: DiscoveredResource }) {
  const [plans, setPlans] = useState<ReadonlyMap<string, Json>>(new Map());
  const [error, setError] = useState<unknown>(undefined);
  const { isReadOnly } = page.connection.facts;
  useEffect(() => {
    const ended = new AbortController();
    const followed = { resource, namespace: "", query: {}, accept: "application/json", signal: ended.signal };
    const put = (changed: readonly Json[], isFirst = false) =>
      setPlans((all) => new Map([...(isFirst ? [] : all), ...changed.map((one) => [nameOf(one), one] as const)]));
    void follow(page.connection, followed, {
      listed: (list, isFirst) => put(parts(list, "items"), isFirst),
      complete: () => undefined,
      changed: (type, plan) => {
        if (type !== "DELETED") return put([plan]);
        setPlans((all) => new Map([...all].filter(([name]) => name !== nameOf(plan))));
      },
      failed: setError,
    });
    return () => ended.abort();
  }, []);
  const remove = (plan: Json) => {
    const [name, uid] = [nameOf(plan), text(plan, "metadata", "uid")];
    deleteObject(page.connection, resource, { name, namespace: "", uid }).catch(setError);
  };
  return (
    <section>
      <h2>Faults</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {!isReadOnly && <NewFault page={page} resource={resource} onError={setError} />}
      {plans.size === 0 && <p>No faults are planned.</p>}
      {plans.size > 0 && (
        <Wide label="Planned faults">
          <table>
            <thead>
              <tr>
                <th scope="col">Plan</th>
                <th scope="col">Requests</th>
                <th scope="col">Effect</th>
                <th scope="col">Hits</th>
                <th scope="col">State</th>
                {!isReadOnly && <th scope="col">Act</th>}
              </tr>
            </thead>
            <tbody>
              {[...plans.values()].map((plan) => (
                <tr key={nameOf(plan)}>
                  <th scope="row">
                    <a href={objectOf(resource, { name: nameOf(plan) })}>{nameOf(plan)}</a>
                  </th>
                  <td>{wordsOf(part(plan, "spec", "match")) || "all"}</td>
                  <td>{wordsOf(part(plan, "spec", "do"))}</td>
                  <td>{text(plan, "status", "hits") || "0"}</td>
                  <td>
                    {text(plan, "status", "message") || (text(plan, "status", "active") === "true" ? "active" : "…")}
                  </td>
                  {!isReadOnly && (
                    <td>
                      <button type="button" aria-label={`Remove ${nameOf(plan)}`} onClick={() => remove(plan)}>
                        Remove
                      </button>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </Wide>
      )}
    </section>
  );
}

const nameOf = (object: Json): string => text(object, "metadata", "name");

const wordsOf = (value: Json): string =>
  Object.entries(value)
    .map(([key, one]) => `${key}: ${Array.isArray(one) ? one.map(String).join(", ") : String(one)}`)
    .join("; ");

interface NewFaultOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly onError: (error: unknown) => void;
}

function NewFault({ page, resource, onError }: NewFaultOptions) {
  const [match, setMatch] = useState<Readonly<Record<string, string>>>({});
  const [effect, setEffect] = useState(Object.keys(effects)[0] ?? "");
  const field = (label: string, key: string, hint: string) => (
    <Field
      label={label}
      hint={hint}
      value={match[key] ?? ""}
      onChange={(value) => setMatch({ ...match, [key]: value })}
    />
  );
  const add = () => {
    const { every = "", ...texts } = match;
    const given = Object.entries(texts).filter(([, value]) => value.trim() !== "");
    const spec = {
      match: { ...Object.fromEntries(given), ...(every === "" ? {} : { every: Number(every) }) },
      do: effects[effect] ?? {},
    };
    onError(undefined);
    createFaultPlan(page.connection, resource, spec).catch(onError);
  };
  return (
    <form
      class="tools"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      {field("User", "user", "all")}
      {field("Verb", "verb", "all")}
      {field("Resource", "resource", "all")}
      {field("Every", "every", "request")}
      <label>
        Effect{" "}
        <select value={effect} onChange={(event) => setEffect(event.currentTarget.value)}>
          {Object.keys(effects).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <button type="submit" class="danger">
        Add the fault
      </button>
    </form>
  );
}

function Forks({ page: { connection } }: { readonly page: Page }) {
  const [forks, setForks] = useState<readonly Json[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const read = () => readForks(connection).then(setForks, setError);
  useEffect(() => void read(), []);
  const act = (work: () => Promise<unknown>) => {
    setError(undefined);
    work().then(read, setError);
  };
  if (forks === undefined) return null;
  const { isReadOnly } = connection.facts;
  return (
    <section>
      <h2>Forks</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {!isReadOnly && (
        <button type="button" onClick={() => act(() => createFork(connection))}>
          Fork the present state
        </button>
      )}
      {forks.length === 0 && <p>There are no forks.</p>}
      <ul>
        {forks.map((fork) => (
          <li key={text(fork, "name")}>
            <bdi>{text(fork, "name")}</bdi> <code>{text(fork, "server")}</code>{" "}
            {!isReadOnly && (
              <button
                type="button"
                aria-label={`Close ${text(fork, "name")}`}
                onClick={() => act(() => deleteFork(connection, text(fork, "name")))}
              >
                Close
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
