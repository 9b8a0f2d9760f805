/** Paths that other code serves: routes outside the API, and groups that other servers serve. */

import type { Attributes } from "../../authz/contract.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { GroupListing } from "../../machinery/schema/catalog.ts";
import type { Backend } from "../../registry/contract/action.ts";
import type { Exchange } from "./exchange.ts";

/** A request that has been authenticated and parsed, as hooks outside this room see it; `user` is the user after impersonation. */
export interface RequestFacts extends Attributes {
  readonly auditId: string;
  /** The user that authenticated, if it differs from `user` (impersonation). */
  readonly authenticatedUser: User;
  /** "x509", "static-token", …; "" before authentication. */
  readonly authenticatedBy: string;
  /** An id of the credential, never the credential itself; "": the authenticator does not give one. */
  readonly credentialId: string;
  /** Headers that carried a credential, in lower case: they must not be forwarded. */
  readonly consumedHeaders: readonly string[];
  /** Stops counting the request as in flight, for a connection that stays open; the returned function counts it again. */
  releaseSeat(): () => void;
  /**
   * Called when the body of the request begins to be forwarded as it arrives: as long as it does arrive, the request does not time
   * out. The caller reports its bytes, and when it has ended.
   */
  beginUpload(): Upload;
}

export interface Upload {
  passed(bytes: number): void;
  ended(): void;
}

/** A path that is not a resource (a console, key sets) and has its own handler. Authorized like any path. */
export interface Route {
  /** Exactly "/openid/v1/jwks", or everything below a path that ends in "/". */
  readonly path: string;
  /** Whether the path is listed at "/". Default: true. */
  readonly listed?: boolean;
  /** "GET": every other method is 405. Default: any method, which `handle` checks itself. */
  readonly method?: "GET";
  /** `ending` aborts when connections are about to be closed: an answer that goes on for long must end then. */
  handle(exchange: Exchange, facts: RequestFacts, ending: AbortSignal): void | Promise<void>;
}

/** Forwards a request to a backend, for the proxy subresources of pods, services and nodes. */
export interface BackendProxy {
  /** Throws a Status if no answer has begun. */
  handle(exchange: Exchange, facts: RequestFacts, to: ProxiedRequest): Promise<void>;
}

export interface ProxiedRequest {
  readonly backend: Backend;
  /** "/api/v1/namespaces/a/pods/web:80/proxy", as received. */
  readonly prefix: string;
  /** "", "/" or "/a/b", as received. */
  readonly path: string;
  /** "?" and the query as received, or "". */
  readonly query: string;
}

/** Group versions that other servers serve (aggregation). They take precedence over those of the catalog. */
export interface Delegate {
  groups(): readonly GroupListing[];
  /** Whether a group version that this server itself serves is left out of discovery, because its API service was deleted. */
  withholds(group: string, version: string): boolean;
  /** Whether requests for this group version are forwarded. */
  serves(group: string, version: string): boolean;
  handle(exchange: Exchange, facts: RequestFacts): Promise<void>;
  /** What is known so far of the group versions. Absent: nothing. */
  readonly resources?: ForeignResources;
  /** The schemas known so far. Absent: none. */
  readonly schemas?: ForeignSchemas;
}

/** Which resources other servers have, as far as they have said. */
export interface ForeignResources {
  /** Grows with every change. */
  readonly generation: number;
  /** Undefined: the server has not said so far. */
  list(group: string, version: string): readonly ApiResource[] | undefined;
  /** Whether the server of the group version answers now. */
  isAvailable(group: string, version: string): boolean;
}

/** An item of an APIResourceList. */
export interface ApiResource {
  /** "pods", "pods/status". */
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  /** Absent: the group of the list. */
  readonly group?: string;
  /** Absent: the version of the list. */
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

/** The OpenAPI documents of other servers, as far as they concern group versions that they serve. */
export interface ForeignSchemas {
  /** Grows with every change of `v2`. */
  readonly generation: number;
  v2(): readonly ForeignSchema[];
  v3(group: string, version: string): ForeignDocument | undefined;
  v3Names(): readonly { readonly group: string; readonly version: string }[];
}

/** Paths and definitions by name, each as JSON in the form of JSON.stringify. */
export interface ForeignSchema {
  readonly paths: ReadonlyMap<string, string>;
  readonly definitions: ReadonlyMap<string, string>;
}

export interface ForeignDocument {
  readonly bytes: Buffer;
  readonly etag: string;
}
