/** What a page asks of the processor, by a trace of the browser: it says the same beside other programs, which frames and times do not. */

import type { Browser, Page } from "playwright-core";

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  /** In microseconds of the processor. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

export interface PageWork {
  /** The processor time of each task of the page, in milliseconds. */
  readonly taskMs: readonly number[];
  /** Of the tasks until something was painted; 0: nothing was. */
  readonly untilPaintMs: number;
}

export async function measurePageWork(browser: Browser, page: Page, work: () => Promise<unknown>): Promise<PageWork> {
  await browser.startTracing(page, { categories: ["toplevel", "loading", "disabled-by-default-devtools.timeline"] });
  await work();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: TraceEvent[] };
  const mains = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const busy = trace.traceEvents.filter(({ name, pid, tid }) => name === "RunTask" && mains.has(`${pid}/${tid}`));
  const paint = trace.traceEvents.find(({ name }) => name === "firstContentfulPaint");
  const ms = ({ tdur = 0 }: TraceEvent) => tdur / 1_000;
  const before = paint === undefined ? [] : busy.filter(({ pid, ts }) => pid === paint.pid && ts <= paint.ts);
  return { taskMs: busy.map(ms), untilPaintMs: before.reduce((sum, one) => sum + ms(one), 0) };
}
