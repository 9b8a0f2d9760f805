/** Health checks and the shutdown of a server, as its paths show them. */

export type HealthEndpoint = "healthz" | "livez" | "readyz";

/** One line of the health endpoints. `check` throws (or rejects) on failure; the reason is only logged. */
export interface HealthCheck {
  /** "ping", "poststarthook/rbac/bootstrap-roles". */
  readonly name: string;
  readonly on: readonly HealthEndpoint[];
  /** Counts as healthy for livez during --livez-grace-period. */
  readonly graceful?: boolean;
  check(endpoint: HealthEndpoint): void | Promise<void>;
}

/** The lifecycle of one server as its answers show it; main advances it. See lifecycle.ts. */
export interface Lifecycle {
  /** True from the start of a shutdown: readyz fails, everything else still answers. */
  readonly draining: boolean;
  /** Aborts when connections are about to be closed: watches end cleanly. */
  readonly ending: AbortSignal;
  drain(): void;
  end(): void;
  /** Counts a request that a stop waits for; `finished` must follow. Watches and other long-running requests are not counted. */
  begun(): void;
  /** How many counted requests are in progress. */
  readonly inProgress: number;
  finished(): void;
  /** Resolves when no counted request is in progress. */
  quiet(): Promise<void>;
  /** Ends every watch cleanly: clients reconnect, and are authenticated and authorized again. */
  endWatches(): void;
  /** Calls back whenever watches have to end, including at shutdown. */
  onEndWatches(callback: () => void): void;
}
