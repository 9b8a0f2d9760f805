/** The conditions of an object as a timeline from its creation until now. */

import { useEffect, useState } from "preact/hooks";
import { type Json, text } from "../server/json.ts";
import { barsOf, type ConditionSpan, type ConditionTimeline, timelinesOf } from "../state/conditions.ts";
import { Time } from "./time.tsx";
import { Wide } from "./wide.tsx";

export function Conditions({ object }: { readonly object: Json }) {
  const [timelines, setTimelines] = useState<readonly ConditionTimeline[]>(() => timelinesOf(object, []));
  useEffect(() => setTimelines((before) => timelinesOf(object, before)), [object]);
  if (timelines.length === 0) return null;
  const created = text(object, "metadata", "creationTimestamp");
  return (
    <section>
      <h2>Conditions</h2>
      <Wide label="Conditions of the object">
        <table>
          <thead>
            <tr>
              <th scope="col">Type</th>
              <th scope="col">Status</th>
              <th scope="col">
                From its creation, <Time value={created} />, until now
              </th>
              <th scope="col">Since</th>
              <th scope="col">Reason</th>
              <th scope="col">Message</th>
            </tr>
          </thead>
          <tbody>
            {timelines.map(({ type, reason, message, spans }) => {
              const { status = "", sinceMs = 0 } = spans.at(-1) ?? {};
              return (
                <tr key={type}>
                  <th scope="row">{type}</th>
                  <td>{status}</td>
                  <td>
                    <Bars spans={spans} startMs={Date.parse(created) || sinceMs} />
                  </td>
                  <td>{sinceMs > 0 && <Time value={new Date(sinceMs).toISOString()} />}</td>
                  <td>{reason}</td>
                  <td>
                    <bdi>{message}</bdi>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Wide>
    </section>
  );
}

const classes: Readonly<Record<string, string>> = { True: "is-true", False: "is-false" };

function Bars({ spans, startMs }: { readonly spans: readonly ConditionSpan[]; readonly startMs: number }) {
  const words = spans.map(({ status, sinceMs }) => `${status} since ${new Date(sinceMs).toISOString()}`);
  return (
    <svg class="timeline" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={words.join(", then ")}>
      <title>{words.join(", then ")}</title>
      <rect class="before" x="0" y="4" width="100" height="2" />
      {barsOf(spans, startMs, Date.now()).map(({ status, from, to }, at) => (
        // A span of a moment is still to be seen.
        <rect
          key={at}
          class={classes[status] ?? "is-unknown"}
          x={Math.min(from * 100, 99)}
          y="0"
          width={Math.max((to - from) * 100, 1)}
          height="10"
        />
      ))}
    </svg>
  );
}
