/** The contract of authenticators: everything that turns a credential into a user. */

import type { User } from "../machinery/meta/user.ts";

/** A client certificate that TLS has verified against the client authorities or the front proxy's, leaf only. */
export interface PeerCertificate {
  /** DER of the leaf, and of the chain the client sent behind it. */
  readonly der: Buffer;
  readonly chain: readonly Buffer[];
}

/** Where a credential comes from. Never a reason to trust it. */
interface CredentialOrigin {
  /** Absent or "": unknown. */
  readonly remoteAddress?: string;
  /** The same object for all requests of one connection; undefined for requests in memory. */
  readonly connection?: object | undefined;
}

/** What authenticators may read. Header names are lower case; repeated headers are separate values, never split. */
export interface Credentials extends CredentialOrigin {
  header(name: string): string | undefined;
  headerValues(name: string): readonly string[];
  /** In the order of arrival; a repeated header is listed each time. */
  headerNames(): readonly string[];
  /** Undefined: the client sent none. It has been read but not verified: authenticators do that. */
  readonly certificate: PeerCertificate | undefined;
}

export interface Authentication {
  readonly user: User;
  /** "x509", "static-token", "serviceaccount", …: for the audit record. */
  readonly by: string;
  /** Which credential it was, never the credential itself: a certificate's serial, a token's id. For the audit record. */
  readonly credentialId?: string;
  /** The audiences that the credential is valid for; undefined: it names none. */
  readonly audiences?: readonly string[];
  /** What the client and the audit record are told about the credential. Absent: nothing. */
  readonly remarks?: CredentialRemarks | undefined;
}

export interface CredentialRemarks {
  /** A sentence for the Warning header; absent: none. */
  readonly warning?: string;
  /** Annotations of the audit event, by key. */
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * One way to authenticate. Undefined: the request carries no credential of this kind, ask the next. A credential that is
 * there but wrong throws `unauthorized()` from machinery/status, except where a later authenticator may know it (bearer
 * tokens): then it returns `rejected`, and if no authenticator accepts it the request is refused.
 */
export interface Authenticator {
  readonly name: string;
  authenticate(credentials: Credentials): AuthenticationOutcome | Promise<AuthenticationOutcome>;
}
export type AuthenticationOutcome = Authentication | "rejected" | undefined;

/** Checks a bearer token on its own (TokenReview, websocket protocols). */
export interface TokenAuthenticator {
  readonly name: string;
  authenticateToken(
    token: string,
    audiences?: readonly string[],
    /** For limits on guessing; absent: unknown. */
    from?: CredentialOrigin,
  ): AuthenticationOutcome | Promise<AuthenticationOutcome>;
}

export const anonymousUser: User = {
  name: "system:anonymous",
  uid: "",
  groups: ["system:unauthenticated"],
  extra: new Map(),
};

/**
 * The caller's user, from any credential; undefined: none was presented, and the calling code decides whether that is allowed.
 * "rejected", or a thrown 401: no authenticator accepts the credential.
 */
export interface RequestAuthenticator {
  authenticate(credentials: Credentials): AuthenticationOutcome | Promise<AuthenticationOutcome>;
  /** Whether a header (lower case) may carry a credential and so must not be passed on. Absent: none does. */
  isConsumed?(header: string): boolean;
}
