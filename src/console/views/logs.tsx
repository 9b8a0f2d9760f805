/** The logs of a pod's containers, which follow what is written. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { type Json, parts, text } from "../server/json.ts";
import { type LogRequest, readLog } from "../server/logs.ts";
import { CopyButton } from "./copy-button.tsx";
import { ErrorNote } from "./notes.tsx";
import { isTyping, type Page } from "./page.ts";

export interface LogsOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
}

export interface LogsSectionOptions extends LogsOptions {
  /** Whether they are shown without being asked for. */
  readonly areOpen: boolean;
}

/** How many lines are kept: the newest. */
export const keptLinesMax = 5_000;

/** They are read when they are asked for: a log that is followed needs a connection of its own. */
export function Logs({ areOpen, ...options }: LogsSectionOptions) {
  const [isOpen, setOpen] = useState(areOpen);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (areOpen) section.current?.scrollIntoView();
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "l" || isTyping(event)) return;
      setOpen(true);
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <section aria-label="Logs" ref={section}>
      <h2>Logs</h2>
      {isOpen ? (
        <OpenLogs {...options} />
      ) : (
        <button type="button" onClick={() => setOpen(true)}>
          Show logs <kbd>l</kbd>
        </button>
      )}
    </section>
  );
}

function OpenLogs({ page, resource, object }: LogsOptions) {
  const names = ["containers", "initContainers", "ephemeralContainers"].flatMap((list) =>
    parts(object, "spec", list).map((container) => text(container, "name")),
  );
  const [chosen, setChosen] = useState(names[0] ?? "");
  const [options, setOptions] = useState({ isFollowed: true, isPrevious: false, hasTimes: false });
  const [filter, setFilter] = useState("");
  const { lines, error, isEnded } = useLog({ page, resource, object }, chosen, options);
  const shown = filter === "" ? lines : lines.filter((line) => line.toLowerCase().includes(filter.toLowerCase()));
  const box = (key: keyof typeof options, label: string) => (
    <label>
      <input
        type="checkbox"
        checked={options[key]}
        onChange={(event) => setOptions({ ...options, [key]: event.currentTarget.checked })}
      />{" "}
      {label}
    </label>
  );
  return (
    <>
      <div class="tools">
        <label>
          Container{" "}
          <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <input
          type="search"
          id="filter"
          aria-label="Filter the lines"
          placeholder="Filter  /"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        {box("isFollowed", "Follow")}
        {box("isPrevious", "Previous run")}
        {box("hasTimes", "Times")}
        <CopyButton text={() => shown.join("\n")} />
        <span class="count" role="status">
          {shown.length} lines{isEnded ? ", the end" : ""}
        </span>
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {shown.length === 0 && error === undefined && (
        <p class="note">{isEnded ? "It has no lines." : "No lines yet …"}</p>
      )}
      {shown.length > 0 && <Lines lines={shown} />}
    </>
  );
}

type LogOptions = Pick<LogRequest, "isFollowed" | "isPrevious" | "hasTimes">;

interface Log {
  readonly lines: readonly string[];
  readonly error?: unknown;
  readonly isEnded: boolean;
}
const noLog: Log = { lines: [], isEnded: false };

function useLog({ page, resource, object }: LogsOptions, container: string, options: LogOptions) {
  const [log, setLog] = useState(noLog);
  const [namespace, name] = [text(object, "metadata", "namespace"), text(object, "metadata", "name")];
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    setLog(noLog);
    const request = { namespace, name, container, ...options, signal };
    const add = (more: readonly string[]) =>
      setLog((before) => ({ ...before, lines: [...before.lines, ...more].slice(-keptLinesMax) }));
    readLog(page.connection, resource, request, add).then(
      () => signal.aborted || setLog((before) => ({ ...before, isEnded: true })),
      (error: unknown) => signal.aborted || setLog((before) => ({ ...before, error })),
    );
    return () => ended.abort();
  }, [container, options.isFollowed, options.isPrevious, options.hasTimes]);
  return log;
}

/** Stays at the end, unless one has scrolled up to read. */
function Lines({ lines }: { readonly lines: readonly string[] }) {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  return (
    <pre
      class="log"
      role="log"
      aria-label="Lines of the log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      ref={box}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 20;
      }}
    >
      {lines.join("\n")}
    </pre>
  );
}
