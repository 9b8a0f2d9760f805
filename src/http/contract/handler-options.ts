/** What the handler chain needs of everyone else. */

import type { Admission } from "../../admission/contract.ts";
import type { Audit } from "../../audit/contract.ts";
import type { Credentials, RequestAuthenticator, User } from "../../authn/contract.ts";
import type { Authorizer } from "../../authz/contract.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metric } from "../../base/metrics.ts";
import type { BoundKind, Catalog } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Action } from "../../registry/contract/action.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import type { HealthCheck, Lifecycle, VersionInfo } from "./health.ts";
import type { Limits } from "./limits.ts";
import type { Delegate, Route } from "./routes.ts";

/** Turns `user` into whom the Impersonate-* headers name, or gives `user` back. Throws a 403 Status. */
export type Impersonate = (credentials: Credentials, user: User, authorizer: Authorizer) => User | Promise<User>;

/** Server-side apply; machinery/apply implements it. Refuses with the 409 and its causes. */
export type ApplyConfiguration = (request: {
  readonly kind: BoundKind;
  readonly live: ApiObject | undefined;
  readonly applied: ApiObject;
  readonly manager: string;
  readonly force: boolean;
  readonly subresource: string;
  readonly now: string;
}) => ApiObject | Promise<ApiObject>;

/** For createHandler in chain.ts. */
export interface HandlerOptions {
  readonly registry: Registry;
  readonly catalog: Catalog;
  /** One that asks all others in turn (authn/union.ts). */
  readonly authenticator: RequestAuthenticator;
  /** Whether requests that carry no credential (`authenticator` answers undefined) go on as system:anonymous. Default: false. */
  readonly anonymous?: boolean;
  readonly authorizer: Authorizer;
  /** By the names that declarations give: virtual kinds and acting subresources. */
  readonly actions: ReadonlyMap<string, Action>;
  readonly apply: ApplyConfiguration;
  /** Asked about connections, which no registry sees. Absent: nobody is asked. */
  readonly admission?: Admission;
  readonly impersonate?: Impersonate;
  /** Calls back after rules or credentials changed, so that open watches are checked again. Absent: they never are. */
  readonly onAccessChange?: (callback: () => void) => void;
  /** Absent: nothing is audited. */
  readonly audit?: Audit;
  readonly routes?: readonly Route[];
  readonly delegate?: Delegate;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  /** --livez-grace-period. Default: 0. */
  readonly livezGraceMs?: number;
  readonly lifecycle: Lifecycle;
  readonly limits?: Partial<Limits>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether /metrics is served. Default: true. */
  readonly metricsPath?: boolean;
  /** Metrics of other rooms to be shown with those of this one. */
  readonly metrics?: readonly Metric[];
}
