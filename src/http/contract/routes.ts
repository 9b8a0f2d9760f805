/** Paths that others answer: routes of their own, and groups that are served elsewhere. */

import type { User } from "../../authn/contract.ts";
import type { Attributes } from "../../authz/contract.ts";
import type { GroupListing } from "../../machinery/schema/catalog.ts";
import type { Exchange } from "./exchange.ts";

/** A request that has been authenticated and parsed, as hooks outside this room see it; `user` is whom it acts as. */
export interface RequestFacts extends Attributes {
  readonly auditId: string;
  /** Who authenticated, where that is somebody else (impersonation). */
  readonly authenticatedUser: User;
  /** "x509", "static-token", …; "" before authentication. */
  readonly authenticatedBy: string;
  /** Which credential it was, never the credential itself; "": the authenticator names none. */
  readonly credentialId: string;
  /** What admission noted for the audit record. */
  readonly auditAnnotations: ReadonlyMap<string, string>;
  /** Headers that carried a credential, lower case: they must not travel further. */
  readonly spentHeaders: readonly string[];
}

/** A path that is no resource (a console, key sets): answers by itself. Authorized as any path. */
export interface Route {
  /** "/openid/v1/jwks" exactly, or everything below for a path that ends in "/". */
  readonly path: string;
  /** Whether the path is listed at "/". Default: true. */
  readonly listed?: boolean;
  /** "GET": every other method is 405. Default: any, and `handle` sees to it. */
  readonly method?: "GET";
  handle(exchange: Exchange, facts: RequestFacts): void | Promise<void>;
}

/** Group versions served elsewhere (aggregation). They take precedence over the catalog's. */
export interface Delegate {
  groups(): readonly GroupListing[];
  /** Whether requests of this group version are to be handed over. */
  serves(group: string, version: string): boolean;
  handle(exchange: Exchange, facts: RequestFacts): Promise<void>;
}
