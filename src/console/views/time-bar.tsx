/** A slider over the time that the server keeps: the overview, lists and objects show the state of that moment. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import type { Connection } from "../server/connection.ts";
import { readChanges, readOldest } from "../server/history.ts";
import { text } from "../server/json.ts";
import { afterChange, countedIn } from "../state/moment.ts";
import type { Moment } from "./moment.ts";

interface TimeBarOptions {
  readonly connection: Connection;
  readonly changes: DiscoveredResource;
  readonly moment: Moment;
  readonly onClose: () => void;
}

const spans = [
  ["5 min", 300_000],
  ["30 min", 1_800_000],
  ["3 h", 10_800_000],
  ["24 h", 86_400_000],
  ["all", Number.POSITIVE_INFINITY],
] as const;
/** Changes that the picture counts: the newest. */
const countedMax = 500;
const barsMax = 120;
const readEveryMs = 10_000;
/** The server is asked when the slider rests. */
const restMs = 200;

export function TimeBar({ connection, changes, moment: { at, go }, onClose }: TimeBarOptions) {
  const [span, setSpan] = useState<number>(spans[1][1]);
  const { oldestMs, times, nowMs } = useKept(connection, changes);
  const fromMs = Math.max(oldestMs, nowMs - span);
  const wanted = at === "" ? nowMs : Date.parse(at);
  const [dragged, setDragged] = useState<number | undefined>(undefined);
  const rest = useRef(0);
  const shown = Math.min(Math.max(dragged ?? wanted, fromMs), nowMs);
  const move = (ms: number) => {
    setDragged(ms);
    clearTimeout(rest.current);
    rest.current = window.setTimeout(() => {
      setDragged(undefined);
      go(ms >= nowMs - 1_000 ? "" : new Date(ms).toISOString());
    }, restMs);
  };
  const counts = countedIn(times, fromMs, nowMs, barsMax);
  const most = Math.max(1, ...counts);
  const before = times.findLast((time) => time < shown - 1_000);
  const after = times.find((time) => time > shown);
  const isNow = at === "" && dragged === undefined;
  return (
    <section class={`time-bar${isNow ? "" : " is-past"}`} aria-label="Time">
      <button
        type="button"
        aria-label="The change before"
        title="The change before"
        disabled={before === undefined}
        onClick={() => before !== undefined && go(afterChange(new Date(before).toISOString()))}
      >
        ‹
      </button>
      <div class="time-track">
        <svg viewBox={`0 0 ${barsMax} 10`} preserveAspectRatio="none" aria-hidden="true">
          {counts.map((count, place) =>
            count === 0 ? null : (
              <rect
                key={place}
                x={place + 0.1}
                width="0.8"
                y={10 - Math.max(1.5, (count / most) * 10)}
                height={Math.max(1.5, (count / most) * 10)}
              />
            ),
          )}
        </svg>
        <input
          type="range"
          aria-label="Moment"
          aria-valuetext={isNow ? "now" : new Date(shown).toLocaleString()}
          min={fromMs}
          max={nowMs}
          step={1_000}
          value={shown}
          onInput={(event) => move(Number(event.currentTarget.value))}
        />
      </div>
      <button
        type="button"
        aria-label="The next change"
        title="The next change"
        disabled={isNow || after === undefined}
        onClick={() => after !== undefined && go(afterChange(new Date(after).toISOString()))}
      >
        ›
      </button>
      <strong class="time-shown" role="status">
        {isNow ? "now" : `${new Date(shown).toLocaleString()}, ${agoOf(Math.max(0, nowMs - shown))} ago`}
      </strong>
      <select aria-label="Span" value={String(span)} onChange={(event) => setSpan(Number(event.currentTarget.value))}>
        {spans.map(([name, ms]) => (
          <option key={name} value={String(ms)}>
            {name}
          </option>
        ))}
      </select>
      {!isNow && (
        <button type="button" class="main" onClick={() => go("")}>
          Back to now
        </button>
      )}
      <button
        type="button"
        aria-label="Close the time bar"
        onClick={() => {
          go("");
          onClose();
        }}
      >
        ×
      </button>
    </section>
  );
}

function agoOf(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

interface Kept {
  readonly oldestMs: number;
  /** Of the newest changes, the oldest of them first. */
  readonly times: readonly number[];
  readonly nowMs: number;
}

/** Without an answer an hour is offered. */
const unknownMs = 3_600_000;

function useKept(connection: Connection, changes: DiscoveredResource): Kept {
  const [kept, setKept] = useState<Kept>(() => ({ oldestMs: Date.now() - unknownMs, times: [], nowMs: Date.now() }));
  useEffect(() => {
    const ended = new AbortController();
    const asked = { connection, changes, signal: ended.signal };
    // It moves on with time, but an answer more is not worth it: older moments are refused with the reason.
    const oldest = readOldest(asked).catch(() => undefined);
    const read = async () => {
      const [oldestMs, found] = await Promise.all([
        oldest,
        readChanges(asked, { namespace: "", requirements: [], limit: countedMax, token: "" }).catch(() => undefined),
      ]);
      if (ended.signal.aborted) return;
      const times = (found?.changes ?? [])
        .map((change) => Date.parse(text(change, "metadata", "creationTimestamp")))
        .reverse();
      setKept({ oldestMs: oldestMs ?? Date.now() - unknownMs, times, nowMs: Date.now() });
    };
    const start = () => void read().catch(() => undefined);
    start();
    const timer = setInterval(start, readEveryMs);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [connection, changes]);
  return kept;
}
