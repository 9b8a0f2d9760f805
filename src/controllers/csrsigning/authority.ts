/** An authority that signs requests: reads its files once, and makes certificates of requests. */

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { CertificateRequest } from "../../base/csr.ts";
import { derTag } from "../../base/der.ts";
import { writeDer, writeExtension } from "../../base/der-write.ts";
import { parsePem } from "../../base/pem.ts";
import { authorityKeyIdentifier, keyIdentifier, writeCertificate } from "../../base/write-certificate.ts";
import { oid, parseCertificate } from "../../base/x509.ts";
import type { SigningAuthority } from "../settings.ts";
import { usageExtensions } from "./usages.ts";

export interface Authority {
  /** PEM. Names and the key are the request's, usages those given; other requested extensions are ignored. */
  sign(request: CertificateRequest, options: SignOptions): string;
}

interface SignOptions {
  readonly usages: readonly string[];
  readonly nowMs: number;
  readonly lifeMs: number;
}

/** Certificates begin a little in the past, so that a machine whose clock is behind accepts them. */
const skewMs = 5 * 60_000;

/** Throws an Error when the text is not a private key. */
export function readSigningKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new Error("it does not hold a private key without a passphrase, in PEM", { cause });
  }
}

/** Throws an Error when certificate and key cannot be read or do not belong together. */
export function openAuthority({ certificate, key }: SigningAuthority): Authority {
  const block = parsePem(certificate).find(({ label }) => label === "CERTIFICATE");
  if (block === undefined) throw new Error("the authority's file has no certificate");
  const issuer = parseCertificate(block.der);
  const signingKey = readSigningKey(key);
  if (!new X509Certificate(block.der).checkPrivateKey(signingKey))
    throw new Error("the authority's key is not the one of its certificate");
  return {
    sign(request, { usages, nowMs, lifeMs }) {
      if (nowMs >= issuer.notAfterMs) throw new Error("the authority's certificate has expired");
      const names = request.extensions.get(oid.subjectAltName);
      return writeCertificate({
        issuer: issuer.subject.der,
        subject: request.subject.der,
        publicKeyDer: request.publicKeyDer,
        signingKey,
        notBeforeMs: nowMs - skewMs,
        // The lifetime counts from the start of validity, and no certificate outlives its authority.
        notAfterMs: Math.min(nowMs - skewMs + lifeMs, issuer.notAfterMs),
        extensions: [
          ...usageExtensions(usages),
          writeExtension(oid.basicConstraints, writeDer(derTag.sequence), true),
          writeExtension(oid.subjectKeyIdentifier, writeDer(derTag.octetString, keyIdentifier(request.publicKeyDer))),
          ...authorityKeyIdentifier(issuer),
          ...(names === undefined ? [] : [writeExtension(oid.subjectAltName, names.value, names.critical)]),
        ],
      });
    },
  };
}
