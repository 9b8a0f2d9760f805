/** The logs of a pod, or of several pods that an object selects, which follow what is written. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { collectionPath, withQuery } from "../../client/requests/address.ts";
import { findNeutral } from "../server/cluster.ts";
import { type Json, parts, text } from "../server/json.ts";
import { type LogRequest, readLog } from "../server/logs.ts";
import { idOf, podSelectorOf } from "../state/acts.ts";
import { levelOf, markedParts, plainLine } from "../state/log-lines.ts";
import { CopyButton } from "./copy-button.tsx";
import { DownloadButton } from "./download-button.tsx";
import { ErrorNote, Waiting } from "./notes.tsx";
import type { Page } from "./page.ts";

interface LogsOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
  readonly mayReadLogs: boolean;
}

/** How many lines are kept: the newest. */
const keptLinesMax = 5_000;
/** How many are elements of the page. */
const shownLinesMax = 2_000;
/** Each pod that is followed has a connection, and a browser has six to a host. */
const followedPodsMax = 4;

export function Logs({ page, resource, object }: LogsOptions) {
  if (idOf(resource) === "pods") return <LogsOfPods pods={[object]} page={page} resource={resource} />;
  return <LogsOfWorkload page={page} resource={resource} object={object} />;
}

/** The pods as they are when the tab is opened. */
function LogsOfWorkload({ page, resource, object }: Omit<LogsOptions, "mayReadLogs">) {
  const [pods, setPods] = useState<readonly Json[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const podKind = findNeutral(page.discovery, "pods");
  useEffect(() => {
    if (podKind === undefined) return;
    const labelSelector = podSelectorOf(resource, object) ?? "";
    const path = withQuery(collectionPath(podKind, text(object, "metadata", "namespace")), {
      labelSelector,
      limit: 500,
    });
    page.connection.send.json(path).then((list) => setPods(parts(list, "items")), setError);
  }, []);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (pods === undefined || podKind === undefined) return <Waiting what="the pods" />;
  if (pods.length === 0) return <p class="note">It has no pods.</p>;
  return <LogsOfPods page={page} resource={podKind} pods={pods} />;
}

interface PodsOptions {
  readonly page: Page;
  /** Pods. */
  readonly resource: DiscoveredResource;
  readonly pods: readonly Json[];
}

const nameOf = (pod: Json): string => text(pod, "metadata", "name");

const containersOf = (pods: readonly Json[]): string[] => [
  ...new Set(
    pods.flatMap((pod) =>
      ["containers", "initContainers", "ephemeralContainers"].flatMap((list) =>
        parts(pod, "spec", list).map((container) => text(container, "name")),
      ),
    ),
  ),
];

function LogsOfPods({ page, resource, pods }: PodsOptions) {
  const names = containersOf(pods);
  const [container, setContainer] = useState(names[0] ?? "");
  const [chosen, setChosen] = useState<readonly string[]>(pods.slice(0, followedPodsMax).map(nameOf));
  const [options, setOptions] = useState({ isFollowed: true, isPrevious: false, hasTimes: false });
  const [filter, setFilter] = useState("");
  const [isWrapped, setWrapped] = useState(false);
  const followed = pods.filter((pod) => chosen.includes(nameOf(pod)));
  const { lines, error, isEnded } = useLogs({ page, resource, pods: followed }, container, options);
  const wanted = filter.toLowerCase();
  const shown = filter === "" ? lines : lines.filter((line) => line.text.toLowerCase().includes(wanted));
  const plain = () => shown.map((line) => (pods.length > 1 ? `${line.pod} ${line.text}` : line.text)).join("\n");
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
    <section aria-label="Logs" class="logs bare">
      <div class="tools">
        <label>
          Container{" "}
          <select value={container} onChange={(event) => setContainer(event.currentTarget.value)}>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <input
          type="search"
          id="filter"
          aria-label="Search the lines"
          placeholder="Search  /"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        {box("isFollowed", "Follow")}
        {box("isPrevious", "Previous run")}
        {box("hasTimes", "Times")}
        <label>
          <input type="checkbox" checked={isWrapped} onChange={(event) => setWrapped(event.currentTarget.checked)} />{" "}
          Wrap
        </label>
        <CopyButton text={plain} />
        <DownloadButton text={plain} fileName={`${pods.map(nameOf)[0] ?? "pod"}.log`} />
        <span class="count" role="status">
          {shown.length} lines{isEnded ? ", the end" : ""}
        </span>
      </div>
      {pods.length > 1 && <PodChoice pods={pods} chosen={chosen} onChoose={setChosen} />}
      {error !== undefined && <ErrorNote error={error} />}
      {shown.length === 0 && error === undefined && (
        <p class="note">{isEnded ? "It has no lines." : "No lines yet …"}</p>
      )}
      {shown.length > 0 && <Lines lines={shown} filter={filter} hasPods={pods.length > 1} isWrapped={isWrapped} />}
    </section>
  );
}

interface PodChoiceOptions {
  readonly pods: readonly Json[];
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

const PodChoice = ({ pods, chosen, onChoose }: PodChoiceOptions) => (
  <fieldset class="pods">
    <legend>Pods, up to {followedPodsMax} at once</legend>
    {pods.map((pod) => {
      const name = nameOf(pod);
      const isChosen = chosen.includes(name);
      return (
        <label key={name}>
          <input
            type="checkbox"
            checked={isChosen}
            disabled={!isChosen && chosen.length >= followedPodsMax}
            onChange={() => onChoose(isChosen ? chosen.filter((one) => one !== name) : [...chosen, name])}
          />{" "}
          <bdi>{name}</bdi>
        </label>
      );
    })}
  </fieldset>
);

interface LogLine {
  readonly number: number;
  readonly pod: string;
  readonly text: string;
}

interface Log {
  readonly lines: readonly LogLine[];
  readonly error?: unknown;
  readonly isEnded: boolean;
}
const noLog: Log = { lines: [], isEnded: false };

type LogFlags = Pick<LogRequest, "isFollowed" | "isPrevious" | "hasTimes">;

function useLogs({ page, resource, pods }: PodsOptions, container: string, options: LogFlags): Log {
  const [log, setLog] = useState(noLog);
  const names = pods.map(nameOf).join(" ");
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    let number = 0;
    let running = 0;
    setLog(pods.length === 0 ? { lines: [], isEnded: true } : noLog);
    const end = () => {
      running -= 1;
      if (running === 0 && !signal.aborted) setLog((before) => ({ ...before, isEnded: true }));
    };
    for (const pod of pods) {
      if (!containersOf([pod]).includes(container)) continue;
      running += 1;
      const name = nameOf(pod);
      const request = { namespace: text(pod, "metadata", "namespace"), name, container, ...options, signal };
      const add = (more: readonly string[]) => {
        const lines = more.map((line) => ({ number: number++, pod: name, text: plainLine(line) }));
        setLog((before) => ({ ...before, lines: [...before.lines, ...lines].slice(-keptLinesMax) }));
      };
      readLog(page.connection, resource, request, add).then(end, (error: unknown) => {
        if (!signal.aborted) setLog((before) => ({ ...before, error }));
        end();
      });
    }
    return () => ended.abort();
  }, [names, container, options.isFollowed, options.isPrevious, options.hasTimes]);
  return log;
}

interface LinesOptions {
  readonly lines: readonly LogLine[];
  readonly filter: string;
  readonly hasPods: boolean;
  readonly isWrapped: boolean;
}

const coloursMax = 6;
/** Pods of one workload differ in their last characters; a narrow page shows these alone. */
const distinctChars = 5;

/** Stays at the end, unless one has scrolled up to read. */
function Lines({ lines, filter, hasPods, isWrapped }: LinesOptions) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const pods = new Map<string, number>();
  for (const { pod } of lines) if (!pods.has(pod)) pods.set(pod, pods.size);
  useLayoutEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  return (
    <div
      class={`log${isWrapped ? " wrapped" : ""}`}
      role="log"
      aria-label="Lines of the log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      ref={box}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 20;
      }}
    >
      {lines.length > shownLinesMax && (
        <div class="quiet">{lines.length - shownLinesMax} lines before these are found by a search</div>
      )}
      {lines.slice(-shownLinesMax).map(({ number, pod, text: line }) => (
        <div key={number} class={`log-line is-${levelOf(line)}`}>
          {hasPods && (
            <span class={`log-pod owner-${(pods.get(pod) ?? 0) % coloursMax}`}>
              <span class="stem">{pod.slice(0, -distinctChars)}</span>
              {pod.slice(-distinctChars)}{" "}
            </span>
          )}
          {filter === ""
            ? line
            : markedParts(line, filter).map((one, at) => (one.isFound ? <mark key={at}>{one.text}</mark> : one.text))}
        </div>
      ))}
    </div>
  );
}
