/** Whether the server answers: what the page's own requests tell, and, while it does not, a request every few seconds. */

export interface Reach {
  readonly isLost: boolean;
  /** What the last request that failed said; "": it has answered. */
  readonly why: string;
  /** How often it came back: what was read before is read again. */
  readonly returns: number;
}

export interface Reachability {
  /** Calls back at once and with each change, until the returned function is called. */
  listen(listener: (reach: Reach) => void): () => void;
  answered(): void;
  failed(why: string): void;
}

const probeEveryMs = 2_000;

/** `probe` is one small request, which reports to `answered` or `failed` like any other. */
export function createReachability(probe: () => Promise<unknown>): Reachability {
  let reach: Reach = { isLost: false, why: "", returns: 0 };
  const listeners = new Set<(reach: Reach) => void>();
  const change = (next: Reach) => {
    reach = next;
    for (const listener of listeners) listener(reach);
  };
  const probeSoon = () =>
    setTimeout(() => {
      if (reach.isLost)
        void probe()
          .catch(() => undefined)
          .finally(probeSoon);
    }, probeEveryMs);
  return {
    listen(listener) {
      listeners.add(listener);
      listener(reach);
      return () => void listeners.delete(listener);
    },
    answered() {
      if (reach.isLost) change({ isLost: false, why: "", returns: reach.returns + 1 });
    },
    failed(why) {
      if (reach.isLost) return;
      change({ ...reach, isLost: true, why });
      probeSoon();
    },
  };
}
