/** Faults that are planned for requests, with their hits. */

import { useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { type Json, part, text } from "../server/json.ts";
import { deleteObject } from "../server/objects.ts";
import { createFaultPlan } from "../server/testing.ts";
import { formatRoute, objectOf } from "../state/route.ts";
import { Field } from "./field.tsx";
import { nameOf, useFollowed } from "./followed.ts";
import { ListTable } from "./list-table.tsx";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";

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

export function FaultPlans({ page, resource }: { readonly page: Page; readonly resource: DiscoveredResource }) {
  const { objects: plans, error: unread } = useFollowed(page, resource, {});
  const [failure, setFailure] = useState<unknown>(undefined);
  const { isReadOnly } = page.connection.facts;
  const error = failure ?? unread;
  const remove = (plan: Json) => {
    const [name, uid] = [nameOf(plan), text(plan, "metadata", "uid")];
    deleteObject(page.connection, resource, { name, namespace: "", uid }).catch(setFailure);
  };
  return (
    <section>
      <h2>Faults</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {!isReadOnly && <NewFault page={page} resource={resource} onError={setFailure} />}
      {plans?.length === 0 && <p>No faults are planned.</p>}
      {plans !== undefined && plans.length > 0 && (
        <ListTable
          stacks
          label="Planned faults"
          items={plans}
          keyOf={nameOf}
          columns={[
            { name: "Plan", cell: (plan) => <a href={objectOf(resource, { name: nameOf(plan) })}>{nameOf(plan)}</a> },
            { name: "Requests", cell: (plan) => wordsOf(part(plan, "spec", "match")) || "all" },
            { name: "Effect", cell: (plan) => wordsOf(part(plan, "spec", "do")) },
            {
              name: "Hits",
              cell: (plan) => {
                const hits = text(plan, "status", "hits") || "0";
                return page.testing.hasJournal ? <a href={requestsOf(plan)}>{hits}</a> : hits;
              },
            },
            { name: "State", cell: stateOf },
            !isReadOnly && {
              name: "Actions",
              cell: (plan) => (
                <button type="button" aria-label={`Remove ${nameOf(plan)}`} onClick={() => remove(plan)}>
                  Remove
                </button>
              ),
            },
          ]}
        />
      )}
    </section>
  );
}

/** The requests that it may have hit, as they are answered. */
const requestsOf = (plan: Json): string =>
  formatRoute({
    view: "requests",
    user: text(plan, "spec", "match", "user"),
    verb: text(plan, "spec", "match", "verb"),
    target: text(plan, "spec", "match", "resource"),
    code: text(plan, "spec", "do", "status"),
  });

const stateOf = (plan: Json): string =>
  text(plan, "status", "message") || (text(plan, "status", "active") === "true" ? "active" : "…");

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
