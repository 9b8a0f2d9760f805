/** An authenticating proxy in front of us: once its certificate is verified, headers name the caller. */

import type { CertificateAuthorities, VerifiedCertificate } from "../base/certificate-chain.ts";
import type { Clock } from "../base/clock.ts";
import { commonName } from "../base/x509.ts";
import { badRequest } from "../machinery/status/status.ts";
import type { Authenticator, Credentials, PeerCertificate } from "./contract.ts";

interface FrontProxyOptions {
  /** --requestheader-client-ca-file. Called for every request, so that reloaded files take effect. */
  readonly authorities: () => CertificateAuthorities;
  /** --requestheader-allowed-names. Empty: any name the authority has certified. */
  readonly allowedNames: readonly string[];
  /** --requestheader-username-headers: the first that has a value counts. */
  readonly userHeaders: readonly string[];
  /** --requestheader-group-headers: every value of each is one group. */
  readonly groupHeaders: readonly string[];
  /** --requestheader-extra-headers-prefix: the rest of the name, percent-decoded, is the key. */
  readonly extraPrefixes: readonly string[];
  readonly clock: Clock;
  /** Whether a certificate was revoked before it expires; checked on every request. */
  readonly isRevoked?: (serial: string) => boolean;
}

/** Header names that carry an identity, for UnionOptions.secretHeaders: without the proxy they have no meaning. */
export function proxyHeaders(options: Pick<FrontProxyOptions, "userHeaders" | "groupHeaders" | "extraPrefixes">) {
  const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase());
  return [
    ...lower(options.userHeaders),
    ...lower(options.groupHeaders),
    ...lower(options.extraPrefixes).map((prefix) => `${prefix}*`),
  ];
}

export function createFrontProxy(options: FrontProxyOptions): Authenticator {
  const { authorities, allowedNames, clock, isRevoked = () => false } = options;
  const userHeaders = options.userHeaders.map((name) => name.toLowerCase());
  const groupHeaders = options.groupHeaders.map((name) => name.toLowerCase());
  const prefixes = options.extraPrefixes.map((prefix) => prefix.toLowerCase());
  const known = new WeakMap<PeerCertificate, { by: CertificateAuthorities; leaf: VerifiedCertificate | undefined }>();

  /** The serial of the proxy's certificate; undefined: the certificate is not the proxy's. */
  const verify = (certificate: PeerCertificate): string | undefined => {
    const now = clock.now();
    const current = authorities();
    let remembered = known.get(certificate);
    if (remembered === undefined || remembered.by !== current) {
      remembered = { by: current, leaf: current.verify(certificate, now) };
      known.set(certificate, remembered);
    }
    const { leaf } = remembered;
    if (leaf === undefined || now < leaf.notBeforeMs || now > leaf.notAfterMs) return undefined;
    const { subject, serial } = leaf.leaf;
    if (isRevoked(serial)) return undefined;
    return allowedNames.length === 0 || allowedNames.includes(commonName(subject)) ? serial : undefined;
  };

  return {
    name: "front-proxy",
    authenticate(credentials) {
      if (credentials.certificate === undefined) return undefined;
      const serial = verify(credentials.certificate);
      if (serial === undefined) return "rejected"; // unless it is a client certificate, which the next authenticator checks
      const name = userHeaders.map((header) => onlyValue(credentials, header)).find((value) => value !== "");
      if (name === undefined) return undefined;
      return {
        user: {
          name,
          uid: "",
          groups: groupHeaders.flatMap((header) => credentials.headerValues(header)),
          extra: readExtra(credentials, prefixes),
        },
        by: "front-proxy",
        credentialId: `X509 serial ${serial}`,
      };
    },
  };
}

/** Two lines of one name are refused: which of them counts would depend on the reader. */
function onlyValue(credentials: Credentials, header: string): string {
  const values = credentials.headerValues(header);
  if (values.length > 1) throw badRequest(`the request has more than one ${header} header`);
  return values[0] ?? "";
}

function readExtra(credentials: Credentials, prefixes: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const extra = new Map<string, string[]>();
  for (const header of new Set(credentials.headerNames())) {
    for (const prefix of prefixes) {
      if (!header.startsWith(prefix)) continue;
      const key = decodeExtraKey(header.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...credentials.headerValues(header)]);
    }
  }
  return extra;
}

/** A key with a broken escape is kept unchanged. */
export function decodeExtraKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
