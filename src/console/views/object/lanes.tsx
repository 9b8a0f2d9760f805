/** A picture of time: when an object and what it owns were there, and when each was changed. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../../client/contract.ts";
import { collectionPath, withQuery } from "../../../client/requests/address.ts";
import { readChanges } from "../../server/history.ts";
import { type Json, parts, text } from "../../server/json.ts";
import { type Lane, lanesMax, lanesOf, type OwnedObject } from "../../state/lanes.ts";
import type { Page } from "../page.ts";
import { Wide } from "../wide.tsx";

interface LanesOptions {
  readonly page: Page;
  /** That of changes. */
  readonly changes: DiscoveredResource;
  readonly object: Json;
  readonly kind: string;
}

/** The newest changes of the namespace are looked at, and of so many kinds the objects that are there. */
const [lookedAtMax, kindsMax, objectsMax] = [500, 6, 1_000];
const [left, laneHeight, width, axisHeight] = [250, 22, 1_000, 22];

interface Seen {
  readonly lanes: readonly Lane[];
  readonly fromMs: number;
  readonly toMs: number;
}

export function Lanes({ page, changes, object, kind }: LanesOptions) {
  const [seen, setSeen] = useState<Seen | undefined>(undefined);
  const [uid, namespace] = [text(object, "metadata", "uid"), text(object, "metadata", "namespace")];
  useEffect(() => {
    const ended = new AbortController();
    const read = async () => {
      const asked = { connection: page.connection, changes, signal: ended.signal };
      const found = await readChanges(asked, { namespace, requirements: [], limit: lookedAtMax, token: "" });
      const owned = await readOwned(page, namespace, found.changes, ended.signal);
      if (ended.signal.aborted) return;
      const lanes = lanesOf({ kind, ...object }, found.changes, owned);
      const times = lanes.flatMap(({ marks }) => marks.map(({ atMs }) => atMs));
      const toMs = Date.now();
      setSeen({ lanes, fromMs: Math.min(...times, toMs - 60_000), toMs });
    };
    read().catch(() => undefined);
    return () => ended.abort();
  }, [uid, text(object, "metadata", "resourceVersion")]);
  if (seen === undefined || seen.lanes.length === 0) return null;
  const { lanes, fromMs, toMs } = seen;
  const shown = lanes.slice(0, lanesMax);
  const x = (ms: number) => left + ((ms - fromMs) / (toMs - fromMs)) * (width - left - 10);
  const height = shown.length * laneHeight + axisHeight;
  return (
    <section>
      <h2>Changes over time</h2>
      <Wide label="Changes over time">
        <svg class="lanes" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img">
          <title>{shown.map(wordsOf).join("; ")}</title>
          {shown.map((lane, row) => (
            <g key={lane.uid} transform={`translate(0 ${row * laneHeight})`}>
              <text class="lane-name" x={6 + lane.depth * 12} y="15" direction="ltr" unicode-bidi="isolate">
                {`${lane.kind} ${lane.name}`.slice(0, 38 - lane.depth * 2)}
              </text>
              <line class="lane" x1={left} x2={width - 10} y1="11" y2="11" />
              <line
                class={`life${lane.toMs === undefined ? "" : " is-over"}`}
                x1={x(lane.fromMs ?? fromMs)}
                x2={x(lane.toMs ?? toMs)}
                y1="11"
                y2="11"
              />
              {lane.marks.map((mark, at) => (
                <g
                  key={at}
                  class={`lane-mark is-${mark.operation}`}
                  transform={`translate(${x(mark.atMs).toFixed(1)} 11)`}
                >
                  <title>{`${mark.operation} by ${mark.by}, ${new Date(mark.atMs).toLocaleString()}`}</title>
                  <path d={shapes[mark.operation]} />
                </g>
              ))}
            </g>
          ))}
          {[0, 0.5, 1].map((share) => (
            <text
              key={share}
              class="tick"
              x={left + share * (width - left - 10)}
              y={height - 6}
              text-anchor={share === 0 ? "start" : share === 1 ? "end" : "middle"}
            >
              {share === 1 ? "now" : new Date(fromMs + share * (toMs - fromMs)).toLocaleTimeString()}
            </text>
          ))}
        </svg>
      </Wide>
      <p class="quiet">
        ● created, | changed, × deleted
        {lanes.length > shown.length && `; and ${lanes.length - shown.length} more objects`}
      </p>
    </section>
  );
}

const shapes = { create: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", update: "M0-6V6", delete: "M-4-4 4 4M4-4-4 4" } as const;

const wordsOf = ({ kind, name, marks, toMs }: Lane): string =>
  `${kind} ${name}: ${marks.length} changes${toMs === undefined ? "" : ", deleted"}`;

/** What is there of the kinds that changed, with its owners. */
async function readOwned(
  { connection, discovery }: Page,
  namespace: string,
  changes: readonly Json[],
  signal: AbortSignal,
): Promise<readonly OwnedObject[]> {
  const kinds = new Map<string, DiscoveredResource>();
  for (const change of changes) {
    const named = (key: string) => text(change, "object", key);
    const apiVersion = named("group") === "" ? named("version") : `${named("group")}/${named("version")}`;
    const resource = discovery.byKind(apiVersion, named("kind"));
    if (resource?.namespaced) kinds.set(`${apiVersion} ${named("kind")}`, resource);
  }
  const owned: OwnedObject[] = [];
  for (const resource of [...kinds.values()].slice(0, kindsMax)) {
    const path = withQuery(collectionPath(resource, namespace), { limit: objectsMax });
    const list = await connection.send.json(path, { signal }).catch(() => undefined);
    for (const one of parts(list, "items"))
      owned.push({
        uid: text(one, "metadata", "uid"),
        ownerUids: parts(one, "metadata", "ownerReferences").map((owner) => text(owner, "uid")),
      });
  }
  return owned;
}
