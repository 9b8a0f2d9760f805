/** The requests that clients send, live, and what admission did to each. */

import { useEffect, useState } from "preact/hooks";
import { clearJournal, followJournal } from "../server/journal.ts";
import { type Json, text } from "../server/json.ts";
import { isShown, type ShownSorts, withRequests } from "../state/requests.ts";
import { formatRoute, type RequestFilter, type Route } from "../state/route.ts";
import { CopyButton } from "./copy-button.tsx";
import { ListTable } from "./list-table.tsx";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { durationText, RequestDetails } from "./request-details.tsx";
import { SelectorField } from "./selector-field.tsx";

interface RequestsOptions {
  readonly page: Page;
  readonly route: Extract<Route, { view: "requests" }>;
}

/** The newest of those that match; the filters find the others. */
const shownRequestsMax = 200;

const filters: readonly (readonly [keyof RequestFilter, label: string, hint: string])[] = [
  ["user", "User", "User"],
  ["verb", "Verb", "Verb"],
  ["target", "Resource or path", "pods, /readyz …"],
  ["code", "Code", "409, 4xx"],
];

const sortNames: readonly (readonly [keyof ShownSorts, string])[] = [
  ["system", "Controllers and leases"],
  ["consoles", "Consoles"],
];

export function Requests({ page, route }: RequestsOptions) {
  const { known, error, isLost, clear } = useJournal(page);
  const [open, setOpen] = useState("");
  const [paused, setPaused] = useState<readonly Json[] | undefined>(undefined);
  const [sorts, setSorts] = useState<ShownSorts>({ consoles: false, system: false });
  const matching = (paused ?? known).filter((request) => isShown(request, route, sorts));
  const shown = matching.slice(-shownRequestsMax).reverse();
  const toggle = (number: string) => {
    setOpen(open === number ? "" : number);
    // What one reads must not move away.
    if (open !== number && paused === undefined) setPaused(known);
  };
  return (
    <article>
      <div class="tools">
        <h1>Requests</h1>
        {filters.map(([key, label, hint], at) => (
          <SelectorField
            key={key}
            id={at === 0 ? "filter" : undefined}
            label={label}
            hint={hint}
            value={route[key]}
            onChange={(value) => {
              location.hash = formatRoute({ ...route, [key]: value });
            }}
          />
        ))}
        {sortNames.map(([sort, name]) => (
          <label key={sort}>
            <input
              type="checkbox"
              checked={sorts[sort]}
              onChange={(event) => setSorts({ ...sorts, [sort]: event.currentTarget.checked })}
            />{" "}
            {name}
          </label>
        ))}
        <button type="button" aria-pressed={paused !== undefined} onClick={() => setPaused(paused ? undefined : known)}>
          {paused === undefined ? "Pause" : "Go on"}
        </button>
        <CopyButton label="Copy as JSON" text={() => shown.map((request) => JSON.stringify(request)).join("\n")} />
        {!page.connection.facts.isReadOnly && (
          <button type="button" onClick={clear}>
            Forget all
          </button>
        )}
        <span class="count" role="status">
          {matching.length} of {known.length}
          {paused === undefined ? !error && <span class="live"> live</span> : " paused"}
        </span>
      </div>
      {error !== undefined &&
        (isLost ? (
          <p class="note warning" role="status">
            The connection is lost: {error.message}. Trying again …
          </p>
        ) : (
          <ErrorNote error={error} />
        ))}
      {shown.length === 0 && error === undefined && (
        <p class="note">No requests like these so far. They appear here as they are answered.</p>
      )}
      {shown.length > 0 && <RequestTable page={page} requests={shown} open={open} onToggle={toggle} />}
      {matching.length > shown.length && <p class="note">The newest {shown.length} are shown.</p>}
    </article>
  );
}

function useJournal({ connection }: Page) {
  const [known, setKnown] = useState<readonly Json[]>([]);
  const [failure, setFailure] = useState<{ readonly error: Error; readonly isFinal: boolean } | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    void followJournal(connection, ended.signal, {
      recorded(requests) {
        setFailure(undefined);
        setKnown((before) => withRequests(before, requests));
      },
      failed: (error, isFinal) => setFailure({ error, isFinal }),
    });
    return () => ended.abort();
  }, []);
  const clear = () => {
    clearJournal(connection).then(
      () => setKnown([]),
      (error: unknown) =>
        setFailure({ error: error instanceof Error ? error : new Error(String(error)), isFinal: true }),
    );
  };
  return { known, error: failure?.error, isLost: failure?.isFinal === false, clear };
}

interface RequestTableOptions {
  readonly page: Page;
  readonly requests: readonly Json[];
  /** The number of the request that is open; "": none. */
  readonly open: string;
  readonly onToggle: (number: string) => void;
}

const RequestTable = ({ page, requests, open, onToggle }: RequestTableOptions) => (
  <ListTable
    label="Requests, the newest first"
    items={requests}
    keyOf={(request) => text(request, "number")}
    columns={[
      {
        name: "Time",
        cell: (request) => (
          <button
            type="button"
            class="plain"
            aria-expanded={text(request, "number") === open}
            aria-label={`${timeText(request)} request ${text(request, "number")}`}
            onClick={() => onToggle(text(request, "number"))}
          >
            {timeText(request)}
          </button>
        ),
      },
      { name: "User", cell: (request) => <bdi class="sender">{text(request, "user")}</bdi> },
      { name: "Verb", cell: (request) => text(request, "verb") },
      {
        name: "Code",
        cell: (request) => codeText(request),
        classOf: (request) => (Number(text(request, "code")) >= 400 ? "bad" : undefined),
      },
      { name: "Duration", cell: (request) => durationText(request) },
      { name: "Request", cell: (request) => <bdi class="target">{text(request, "target")}</bdi> },
    ]}
    below={(request) =>
      text(request, "number") === open ? <RequestDetails page={page} request={request} /> : undefined
    }
  />
);

const timeText = (request: Json): string => new Date(Number(text(request, "atMs")) || 0).toISOString().slice(11, 23);

const codeText = (request: Json): string => (text(request, "code") === "0" ? "open" : text(request, "code"));
