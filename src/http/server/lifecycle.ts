/** The lifecycle of one server as its answers show it: serving, then draining (not ready), then ending (watches close). */

import type { Lifecycle } from "../contract/health.ts";

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
      ending.abort();
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
