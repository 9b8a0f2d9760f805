/** Health checks, the version and the end of a server, as its paths show them. */

/** What /version shows. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

export type HealthEndpoint = "healthz" | "livez" | "readyz";

/** One line of the health endpoints. `check` throws (or rejects) when it is not well; the reason is only logged. */
export interface HealthCheck {
  /** "ping", "poststarthook/rbac/bootstrap-roles". */
  readonly name: string;
  readonly on: readonly HealthEndpoint[];
  /** Counts as well for livez during --livez-grace-period. */
  readonly graceful?: boolean;
  check(endpoint: HealthEndpoint): void | Promise<void>;
}

/** The life of one server as its answers show it; main moves it forward. See lifecycle.ts. */
export interface Lifecycle {
  /** True from the first sign of shutdown: readyz turns red, everything else still answers. */
  readonly draining: boolean;
  /** Aborts when connections are about to be closed: watches end cleanly. */
  readonly ending: AbortSignal;
  drain(): void;
  end(): void;
  /** Ends every watch cleanly: clients come back, and are asked again who they are and what they may do. */
  endWatches(): void;
  /** Calls back whenever watches are to end, at the end of the server too. */
  onEndWatches(callback: () => void): void;
}
