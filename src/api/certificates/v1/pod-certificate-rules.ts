/** What a certificate request of a pod may ask for, and what its signer may answer. */

import { type KeyObject, X509Certificate } from "node:crypto";
import { type CertificateRequest, parseCertificateRequest, verifyCertificateRequest } from "../../../base/csr.ts";
import { parsePem } from "../../../base/pem.ts";
import { oid, type ParsedCertificate, parseAlternativeNames, parseCertificate } from "../../../base/x509.ts";
import { annotationsBytesMax } from "../../../machinery/meta/labels.ts";
import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import {
  type FieldError,
  type FieldErrors,
  invalid,
  noErrors,
  required,
  tooLong,
} from "../../../machinery/status/field-error.ts";
import { parseInstant } from "../../../machinery/values/time.ts";

const secondsMin = 60 * 60;
const secondsMaxOfOthers = 91 * 24 * 60 * 60;
/** For signers of the reserved domain. */
const ownSecondsMax = 24 * 60 * 60;
const certificateChainBytesMax = 100 * 1024;
/** How far the beginning of a certificate may be from now. */
const beginMsMax = 5 * 60_000;
/** How long after the beginning and before the end of a certificate it is to be replaced at least. */
const refreshMsMin = 10 * 60_000;

/** `domain`: the reserved one. */
export function checkLifetime(
  seconds: number,
  { signerName, domain, path }: { readonly signerName: string; readonly domain: string; readonly path: string },
): FieldErrors {
  const [host = ""] = signerName.split("/");
  const isOwn = host === domain || host.endsWith(`.${domain}`);
  const most = isOwn ? ownSecondsMax : secondsMaxOfOthers;
  if (seconds >= secondsMin && seconds <= most) return noErrors;
  return [invalid(path, seconds, `must be from ${secondsMin} to ${most}`)];
}

/** Base64 of DER. */
export function checkStub(encoded: string, path: string): FieldErrors {
  let request: CertificateRequest;
  try {
    request = parseCertificateRequest(Buffer.from(encoded, "base64"));
  } catch {
    return [invalid(path, "<request>", "must be a PKCS#10 certificate request in DER form")];
  }
  if (!verifyCertificateRequest(request)) return [invalid(path, "<request>", "must be signed with the key it is for")];
  const problem = keyProblem(request.publicKey);
  return problem === undefined ? noErrors : [invalid(path, "<request>", problem)];
}

const curves = ["prime256v1", "secp384r1", "secp521r1"];
const rsaBits = [3072, 4096];

function keyProblem({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): string | undefined {
  switch (asymmetricKeyType) {
    case "ed25519":
      return undefined;
    case "ec":
      return curves.includes(asymmetricKeyDetails.namedCurve ?? "")
        ? undefined
        : "the key must be on curve P-256, P-384 or P-521";
    case "rsa":
      return rsaBits.includes(asymmetricKeyDetails.modulusLength ?? 0)
        ? undefined
        : "RSA keys must have 3072 or 4096 bits";
    default:
      return "the key must be of Ed25519, ECDSA or RSA";
  }
}

/** Keys are names with a domain, in letters of any case. */
export function checkUserAnnotations(annotations: Readonly<Record<string, string>>, path: string): FieldErrors {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
    const [domain = "", name = "", ...more] = key.toLowerCase().split("/");
    const isName = /^[a-z0-9]([-_.a-z0-9]{0,61}[a-z0-9])?$/.test(name) && more.length === 0;
    if (!isName || isDns1123Subdomain(domain).length > 0)
      errors.push(invalid(path, key, 'must be a name with a domain, such as "example.com/name"'));
  }
  if (bytes > annotationsBytesMax) errors.push(tooLong(path, "", annotationsBytesMax));
  return errors;
}

interface Issued {
  readonly certificateChain?: string;
  readonly notBefore?: string | null;
  readonly beginRefreshAt?: string | null;
  readonly notAfter?: string | null;
}

/** The answer of a signer that has issued a certificate. `stub`: the request, as base64 of DER. */
export function checkIssued(
  { certificateChain: chain = "", notBefore, notAfter, beginRefreshAt }: Issued,
  { stub, secondsMax }: { readonly stub: string; readonly secondsMax: number },
  nowMs: number,
): FieldErrors {
  const path = "status.certificateChain";
  if (Buffer.byteLength(chain) > certificateChainBytesMax) return [tooLong(path, "", certificateChainBytesMax)];
  const wrong = (text: string) => [invalid(path, "<value omitted>", text)];
  const [leaf, ...others] = parsePem(chain);
  if (leaf === undefined) return wrong("must contain at least one certificate");
  const read = leaf.label === "CERTIFICATE" ? readCertificate(leaf.der) : undefined;
  if (read === undefined) return wrong("must begin with the certificate of the pod");
  const named = parseAlternativeNames(read.facts.extensions.get(oid.subjectAltName)).dns;
  if (named.some((name) => name === "" || name.includes("..") || /^\.|\.$/.test(name)))
    return wrong("the certificate has DNS names that are empty or have empty labels");
  if (!isOfKey(read.key, stub)) return wrong("the certificate is for another key than the requested one");
  const times = { notBefore: msOf(notBefore), notAfter: msOf(notAfter), beginRefreshAt: msOf(beginRefreshAt) };
  const absent = Object.entries(times).filter(([, ms]) => ms === undefined);
  if (absent.length > 0) return absent.map(([name]) => required(`status.${name}`, "must be that of the certificate"));
  const problem = timeProblem(times as Record<keyof typeof times, number>, read.facts, { secondsMax, nowMs }); // none is absent
  if (problem !== undefined) return problem;
  return others.every(({ label, der }) => label === "CERTIFICATE" && readCertificate(der) !== undefined)
    ? noErrors
    : wrong("must consist of certificates alone");
}

function timeProblem(
  { notBefore, notAfter, beginRefreshAt }: Record<"notBefore" | "notAfter" | "beginRefreshAt", number>,
  leaf: ParsedCertificate,
  { secondsMax, nowMs }: { readonly secondsMax: number; readonly nowMs: number },
): FieldErrors | undefined {
  const wrong = (name: string, text: string) => [invalid(`status.${name}`, "<value omitted>", text)];
  if (notBefore !== leaf.notBeforeMs) return wrong("notBefore", "must be that of the certificate");
  if (Math.abs(notBefore - nowMs) >= beginMsMax) return wrong("notBefore", "must be within five minutes of now");
  if (notAfter !== leaf.notAfterMs) return wrong("notAfter", "must be that of the certificate");
  const seconds = (notAfter - notBefore) / 1_000;
  if (seconds < secondsMin) return wrong("certificateChain", "must be valid for an hour or more");
  if (seconds > secondsMax) return wrong("certificateChain", "must not be valid for longer than requested");
  if (beginRefreshAt < notBefore + refreshMsMin)
    return wrong("beginRefreshAt", "must be ten minutes after notBefore or later");
  if (beginRefreshAt > notAfter - refreshMsMin)
    return wrong("beginRefreshAt", "must be ten minutes before notAfter or earlier");
  return undefined;
}

function readCertificate(der: Buffer): { readonly facts: ParsedCertificate; readonly key: Buffer } | undefined {
  try {
    return { facts: parseCertificate(der), key: spki(new X509Certificate(der).publicKey) };
  } catch {
    return undefined;
  }
}

const spki = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" });

function isOfKey(key: Buffer, stub: string): boolean {
  try {
    return spki(parseCertificateRequest(Buffer.from(stub, "base64")).publicKey).equals(key);
  } catch {
    return false;
  }
}

const msOf = (time: string | null | undefined): number | undefined => {
  const instant = time == null ? undefined : parseInstant(time);
  return instant && instant.seconds * 1_000;
};
