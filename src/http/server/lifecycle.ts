/** The lifecycle of one server as its answers show it: serving, then draining (not ready), then ending (watches close). */

import type { Lifecycle } from "../contract/health.ts";

/** One for all: an abort without a reason makes an error with a stack each time. */
const endingReason = new Error("the server is ending");

export function createLifecycle(): Lifecycle {
  const ending = new AbortController();
  const watchers: (() => void)[] = [];
  let draining = false;
  let underWay = 0;
  let waiting: (() => void)[] = [];
  const endWatches = () => {
    for (const callback of watchers) callback();
  };
  return {
    get draining() {
      return draining;
    },
    ending: ending.signal,
    drain() {
      draining = true;
    },
    end() {
      draining = true;
      ending.abort(endingReason);
      endWatches();
    },
    get inProgress() {
      return underWay;
    },
    begun() {
      underWay++;
    },
    finished() {
      if (--underWay > 0 || waiting.length === 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    quiet: () => (underWay === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    endWatches,
    onEndWatches(callback) {
      watchers.push(callback);
    },
  };
}
