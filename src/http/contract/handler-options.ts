/** What the handler chain needs from the other rooms. */

import type { Audit } from "../../audit/contract.ts";
import type { RequestAuthenticator } from "../../authn/contract.ts";
import type { Authorizer } from "../../authz/contract.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metric } from "../../base/metrics.ts";
import type { Tracing } from "../../base/tracing.ts";
import type { Fairness } from "../../flowcontrol/contract.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import type { VersionInfo } from "../../metrics/process-readings.ts";
import type { Action } from "../../registry/contract/action.ts";
import type { Admission } from "../../registry/contract/admission.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import type { HealthCheck, Lifecycle } from "./health.ts";
import type { Interventions } from "./interventions.ts";
import type { Queries } from "./queries.ts";
import type { BackendProxy, Delegate, Route } from "./routes.ts";

/** For createHandler in chain.ts. */
export interface HandlerOptions {
  readonly registry: Registry;
  readonly catalog: Catalog;
  /** Whether discovery shows lists and watches alone, because the registry has nothing else. Default: false. */
  readonly readsOnly?: boolean;
  /** An authenticator that tries all others in order (authn/union.ts). */
  readonly authenticator: RequestAuthenticator;
  /**
   * Whether requests without a credential (`authenticator` returns undefined) continue as system:anonymous. Default:
   * false.
   */
  readonly anonymous?: boolean | ((path: string) => boolean);
  readonly authorizer: Authorizer;
  /** By the names in declarations: virtual resources and subresources with an action. */
  readonly actions: ReadonlyMap<string, Action>;
  /** Admission for connections, which do not pass through the registry. Absent: connections are not admitted by plugins. */
  readonly admission?: Admission;
  /** Calls back after rules or credentials have changed, so that open watches are checked again. Absent: no rechecks. */
  readonly onAccessChange?: (callback: () => void) => void;
  /** Absent: lists have no `where`. */
  readonly queries?: Queries;
  /** Absent: nothing is audited. */
  readonly audit?: Audit;
  /** Absent: no test sees or disturbs requests. */
  readonly interventions?: Interventions | undefined;
  /** Absent: requests are no spans. */
  readonly tracing?: Tracing | undefined;
  readonly routes?: readonly Route[];
  readonly delegate?: Delegate;
  /** Absent: requests to pods, services and nodes are answered 503. */
  readonly proxy?: BackendProxy;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  /** Checks that come and go while the server runs, after the others. Absent: none do. */
  readonly changingHealthChecks?: () => readonly HealthCheck[];
  /** --livez-grace-period. Default: 0. */
  readonly livezGraceMs?: number;
  readonly lifecycle: Lifecycle;
  readonly limits?: Partial<RequestLimits>;
  /** Decides which requests wait. Absent: the numbers of reading and changing requests are limited alone. */
  readonly fairness?: Fairness;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether /metrics is served. Default: true. */
  readonly metricsPath?: boolean;
  /** Whether /metrics shows what the process uses. Default: true. */
  readonly processMetrics?: boolean;
  /** Prints what /metrics shows. Absent: every metric that is not hidden, in the server's vocabulary. */
  readonly printMetrics?: (metrics: readonly Metric[]) => Promise<string>;
  /** Metrics of other rooms to be shown with those of this one. */
  readonly metrics?: readonly Metric[];
}

/** The limits of one server. */
export interface RequestLimits {
  /** Requests that only read (get, list) in progress at once; watches do not count. */
  readonly readingMax: number;
  readonly mutatingMax: number;
  /** Requests of all kinds, waiting ones included, when priority and fairness decides which of them are worked on. */
  readonly arrivedMax: number;
  /** Bytes of all request bodies that are being read or worked on. */
  readonly bodiesBytesMax: number;
  readonly bodyBytesMax: number;
  readonly requestTimeoutMs: number;
  /** A watch without timeoutSeconds lasts between this long and twice as long. */
  readonly watchTimeoutMinMs: number;
  /** Larger answers are compressed for clients that accept it. */
  readonly compressAboveBytes: number;
  /** Requests that take longer are logged with their steps; 0: none are. */
  readonly slowRequestMs: number;
}
