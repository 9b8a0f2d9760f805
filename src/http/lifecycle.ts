/** The life of one server as its answers show it: serving, then draining (not ready), then ending (watches close). */

import type { Lifecycle } from "./contract.ts";

export function createLifecycle(): Lifecycle {
  const ending = new AbortController();
  let draining = false;
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
    },
  };
}
