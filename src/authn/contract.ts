/** Who is asking: the contract of everything that turns a credential into a user. */

export interface User {
  readonly name: string;
  /** Empty: none. */
  readonly uid: string;
  readonly groups: readonly string[];
  /** Keys are lower case. */
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** A client certificate that TLS has verified against the client authorities or the front proxy's, leaf only. */
export interface PeerCertificate {
  /** DER of the leaf, and of the chain the client sent behind it. */
  readonly der: Buffer;
  readonly chain: readonly Buffer[];
}

/** Where a credential comes from. Never a reason to believe anything. */
export interface Origin {
  /** Absent or "": unknown. */
  readonly remoteAddress?: string;
  /** The same object for all requests of one connection; undefined: there is none. */
  readonly connection?: object | undefined;
}

/** What authenticators may look at. Header names are lower case; repeated headers are separate values, never split. */
export interface Credentials extends Origin {
  header(name: string): string | undefined;
  headerValues(name: string): readonly string[];
  /** In the order they came; a repeated header is named as often. */
  headerNames(): readonly string[];
  /** Undefined: the client sent none. It has been read, not judged: authenticators verify it. */
  readonly certificate: PeerCertificate | undefined;
}

export interface Authentication {
  readonly user: User;
  /** "x509", "static-token", "serviceaccount", …: for the audit record. */
  readonly by: string;
  /** Which credential it was, never the credential itself: a certificate's serial, a token's id. For the audit record. */
  readonly credentialId?: string;
  /** Audiences the credential is good for; undefined: it names none. */
  readonly audiences?: readonly string[];
}

/**
 * One way to authenticate. Undefined: the request carries no credential of this kind, ask the next. A credential that is
 * there but wrong throws `unauthorized()` from machinery/status, except where a later authenticator may know it (bearer
 * tokens): then it answers `rejected`, and if nobody takes it the request is refused.
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
    from?: Origin,
  ): AuthenticationOutcome | Promise<AuthenticationOutcome>;
}

export const anonymousUser: User = {
  name: "system:anonymous",
  uid: "",
  groups: ["system:unauthenticated"],
  extra: new Map(),
};

/**
 * Who is asking, whichever credential they presented; undefined: none was, and whether that is allowed is for the caller to decide.
 * "rejected", or a 401 that is thrown: nobody accepts the credential.
 */
export interface RequestAuthenticator {
  authenticate(credentials: Credentials): AuthenticationOutcome | Promise<AuthenticationOutcome>;
  /** Whether a header (lower case) may carry a credential and so must not travel further. Absent: none does. */
  isSpent?(header: string): boolean;
}
