/** The pages below /debug/, for users with a right to these paths: one file each, in one list. */

import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Readable } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import type { Exchange } from "../../http/contract/exchange.ts";
import type { Route } from "../../http/contract/routes.ts";
import { cpuProfile } from "./cpu-profile.ts";
import { eventLoop } from "./event-loop.ts";
import { heap } from "./heap.ts";
import { heapProfile } from "./heap-profile.ts";
import { heapSnapshot } from "./heap-snapshot.ts";
import { createInspector, type Inspector } from "./inspector.ts";

interface DebugParts {
  readonly clock: Clock;
  readonly inspector: Inspector;
  readonly delay: IntervalHistogram;
  /** How busy the event loop had been when the server began. */
  readonly startedUtilization: ReturnType<typeof performance.eventLoopUtilization>;
}

/** JSON, or a stream of it; `file` is the name that browsers save it under. */
type DebugAnswer =
  | { readonly body: unknown; readonly file?: string }
  | { readonly stream: Readable; readonly file: string };

export interface DebugPage {
  readonly path: string;
  /** For the index. */
  readonly about: string;
  answer(exchange: Exchange, parts: DebugParts): Promise<DebugAnswer>;
}

const pages: readonly DebugPage[] = [cpuProfile, heapProfile, heapSnapshot, heap, eventLoop];

/** How precisely delays of the event loop are measured. */
const delayResolutionMs = 10;

interface Debug {
  readonly routes: readonly Route[];
  close(): void;
}

/** As in v1.21 the paths are not listed at "/". */
export function openDebug(clock: Clock): Debug {
  const delay = monitorEventLoopDelay({ resolution: delayResolutionMs });
  delay.enable();
  const startedUtilization = performance.eventLoopUtilization();
  const parts: DebugParts = { clock, inspector: createInspector(), delay, startedUtilization };
  const index = pages.map(({ path, about }) => `${path}\n    ${about}\n`).join("");
  const text = { "content-type": "text/plain; charset=utf-8" };
  /** A route that ends in "/" handles everything below it that has no page. */
  const showIndex = (path: string): Route => ({
    path,
    method: "GET",
    listed: false,
    handle: (exchange, facts) =>
      facts.path === path ? exchange.send(200, text, index) : exchange.send(404, text, "404 page not found\n"),
  });
  const routes = pages.map(
    (page): Route => ({
      path: page.path,
      method: "GET",
      listed: false,
      handle: async (exchange) => send(exchange, await page.answer(exchange, parts)),
    }),
  );
  return {
    routes: ["/debug/", "/debug/pprof", "/debug/pprof/"].map(showIndex).concat(routes),
    close: () => delay.disable(),
  };
}

async function send(exchange: Exchange, answer: DebugAnswer): Promise<void> {
  const headers = {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(answer.file === undefined ? {} : { "content-disposition": `attachment; filename="${answer.file}"` }),
  };
  if ("body" in answer) return exchange.send(200, headers, JSON.stringify(answer.body));
  exchange.respond(200, headers);
  try {
    for await (const chunk of answer.stream) {
      if (!exchange.write(Buffer.from(chunk))) await exchange.drained();
      if (exchange.gone) return;
    }
    exchange.end();
  } catch (error) {
    exchange.destroy();
    throw error;
  }
}
