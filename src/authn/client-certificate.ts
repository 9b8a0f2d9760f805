/** Client certificates: the common name of the leaf is the user, each of its organizations is a group. */

import { createHash } from "node:crypto";
import type { CertificateAuthorities, VerifiedCertificate } from "../base/certificate-chain.ts";
import type { Clock } from "../base/clock.ts";
import { commonName, nameValues, oid } from "../base/x509.ts";
import type { User } from "../machinery/meta/user.ts";
import type { Authentication, Authenticator, PeerCertificate } from "./contract.ts";
import type { CredentialMetrics } from "./metrics.ts";

interface ClientCertificateOptions {
  /** Called for every new connection, so that reloaded files take effect. */
  readonly authorities: () => CertificateAuthorities;
  readonly clock: Clock;
  /** Whether a certificate was revoked before it expires; checked on every request. */
  readonly isRevoked?: (serial: string) => boolean;
  /** The key of `extra` for the digest of the certificate. Absent: users do not carry it, as in v1.21. */
  readonly credentialIdKey?: string | undefined;
  /** Absent: nothing is counted. */
  readonly metrics?: CredentialMetrics | undefined;
}

interface Remembered {
  readonly authorities: CertificateAuthorities;
  readonly verified: VerifiedCertificate | undefined;
  readonly authentication: Authentication | undefined;
}

export function createClientCertificate(options: ClientCertificateOptions): Authenticator {
  const { authorities, clock, isRevoked = () => false, credentialIdKey } = options;
  // A connection presents one certificate object for all its requests, so its signatures are checked once.
  const known = new WeakMap<PeerCertificate, Remembered>();
  return {
    name: "x509",
    authenticate({ certificate }) {
      if (certificate === undefined) return undefined;
      const now = clock.now();
      const current = authorities();
      let remembered = known.get(certificate);
      if (remembered === undefined || remembered.authorities !== current) {
        const verified = current.verify(certificate, now);
        const extra = new Map<string, readonly string[]>();
        if (credentialIdKey !== undefined) extra.set(credentialIdKey, [`X509SHA256=${digestOf(certificate.der)}`]);
        remembered = { authorities: current, verified, authentication: verified && identify(verified, extra) };
        known.set(certificate, remembered);
      }
      const { verified, authentication } = remembered;
      if (verified === undefined || authentication === undefined) return "rejected";
      if (now < verified.notBeforeMs || now > verified.notAfterMs || isRevoked(verified.leaf.serial)) return "rejected";
      options.metrics?.certificate((verified.notAfterMs - now) / 1_000);
      return authentication;
    },
  };
}

const digestOf = (der: Buffer): string => createHash("sha256").update(der).digest("hex");

/** Undefined: the leaf has no user name. */
function identify({ leaf }: VerifiedCertificate, extra: User["extra"]): Authentication | undefined {
  const name = commonName(leaf.subject);
  if (name === "") return undefined;
  return {
    user: { name, uid: "", groups: nameValues(leaf.subject, oid.organization), extra },
    by: "x509",
    credentialId: `X509 serial ${leaf.serial}`,
  };
}
