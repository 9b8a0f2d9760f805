/** The conditions of an object as a timeline from its creation until now. */

import { useEffect, useState } from "preact/hooks";
import { conditionHealth } from "../../operations/health.ts";
import { type Json, text } from "../server/json.ts";
import { barsOf, type ConditionSpan, type ConditionTimeline, timelinesOf } from "../state/conditions.ts";
import { ListTable } from "./list-table.tsx";
import { Status } from "./status.tsx";
import { Time } from "./time.tsx";

export function Conditions({ object }: { readonly object: Json }) {
  const [timelines, setTimelines] = useState<readonly ConditionTimeline[]>(() => timelinesOf(object, []));
  useEffect(() => setTimelines((before) => timelinesOf(object, before)), [object]);
  if (timelines.length === 0) return null;
  const created = text(object, "metadata", "creationTimestamp");
  return (
    <section>
      <h2>Conditions</h2>
      <ListTable
        stacks
        label="Conditions of the object"
        items={timelines}
        keyOf={({ type }) => type}
        columns={[
          { name: "Type", cell: ({ type }) => type },
          {
            name: "Status",
            cell: ({ type, spans }) => {
              const status = spans.at(-1)?.status ?? "";
              const state = conditionHealth(type, status);
              return state === undefined ? status : <Status state={state} word={status} />;
            },
          },
          {
            name: "Timeline",
            cell: ({ type, spans }) => (
              <Bars type={type} spans={spans} startMs={Date.parse(created) || (spans.at(-1)?.sinceMs ?? 0)} />
            ),
          },
          { name: "Since", cell: ({ spans }) => <Since ms={spans.at(-1)?.sinceMs ?? 0} /> },
          {
            name: "Why",
            cell: ({ reason, message }) => (
              <>
                {reason}
                {message !== "" && <bdi class="below">{message}</bdi>}
              </>
            ),
          },
        ]}
      />
    </section>
  );
}

const Since = ({ ms }: { readonly ms: number }) => (ms > 0 ? <Time value={new Date(ms).toISOString()} /> : null);

interface BarsOptions {
  readonly type: string;
  readonly spans: readonly ConditionSpan[];
  readonly startMs: number;
}

function Bars({ type, spans, startMs }: BarsOptions) {
  const words = spans.map(({ status, sinceMs }) => `${status} since ${new Date(sinceMs).toISOString()}`);
  return (
    <svg class="timeline" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={words.join(", then ")}>
      <title>{words.join(", then ")}</title>
      <rect class="before" x="0" y="4" width="100" height="2" />
      {barsOf(spans, startMs, Date.now()).map(({ status, from, to }, at) => (
        // A span of a moment is still to be seen.
        <rect
          key={at}
          class={`span is-${conditionHealth(type, status) ?? "plain"}`}
          x={Math.min(from * 100, 99)}
          y="0"
          width={Math.max((to - from) * 100, 1)}
          height="10"
        />
      ))}
    </svg>
  );
}
