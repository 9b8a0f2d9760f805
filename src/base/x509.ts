/** Reads certificates and names directly from DER: exact attributes, extensions and times, without a text form in between. */

import type { DerElement } from "./der.ts";
import { DerError, derChildren, derOid, derTag, derText, derTime, expectDer, readWholeDer } from "./der.ts";

interface NameAttribute {
  readonly oid: string;
  readonly value: string;
}

/** A distinguished name; attributes in the order of the encoding, including those that share one set. */
export interface DistinguishedName {
  readonly attributes: readonly NameAttribute[];
  readonly der: Buffer;
}

export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

export interface ParsedCertificate {
  /** Upper-case hexadecimal, without leading zeros. */
  readonly serial: string;
  /** The object identifier of how it is signed. */
  readonly signatureAlgorithm: string;
  readonly issuer: DistinguishedName;
  readonly subject: DistinguishedName;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly extensions: ReadonlyMap<string, Extension>;
  /** Basic constraints: whether it may issue, and how many authorities may follow (undefined: any number). */
  readonly isAuthority: boolean;
  readonly pathLength: number | undefined;
  /** Undefined: no key usage extension. */
  readonly mayIssue: boolean | undefined;
  /** Object identifiers; undefined: no extended key usage extension. */
  readonly extendedKeyUsage: readonly string[] | undefined;
}

export const oid = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  nameConstraints: "2.5.29.30",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  clientAuth: "1.3.6.1.5.5.7.3.2",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  anyExtendedKeyUsage: "2.5.29.37.0",
  extensionRequest: "1.2.840.113549.1.9.14",
  sha256WithRsa: "1.2.840.113549.1.1.11",
  sha384WithRsa: "1.2.840.113549.1.1.12",
  sha512WithRsa: "1.2.840.113549.1.1.13",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  ecdsaWithSha384: "1.2.840.10045.4.3.3",
  ecdsaWithSha512: "1.2.840.10045.4.3.4",
  ed25519: "1.3.101.112",
} as const;

/** Throws DerError on anything that is not a certificate. */
export function parseCertificate(der: Buffer): ParsedCertificate {
  const [tbs] = derChildren(expectDer(readWholeDer(der), derTag.sequence));
  const parts = derChildren(expectDer(tbs, derTag.sequence));
  let at = parts[0]?.tag === 0xa0 ? 1 : 0;
  const serial = expectDer(parts[at++], derTag.integer);
  const [algorithm] = derChildren(expectDer(parts[at++], derTag.sequence));
  const issuer = parseName(expectDer(parts[at++], derTag.sequence));
  const [notBefore, notAfter] = derChildren(expectDer(parts[at++], derTag.sequence));
  const subject = parseName(expectDer(parts[at++], derTag.sequence));
  if (notBefore === undefined || notAfter === undefined) throw new DerError("the validity is incomplete");
  const wrapped = parts.find((part) => part.tag === 0xa3);
  const extensions = parseExtensions(wrapped && derChildren(wrapped)[0]);
  return {
    serial: serial.contents
      .toString("hex")
      .replace(/^0+(?=.)/, "")
      .toUpperCase(),
    signatureAlgorithm: derOid(expectDer(algorithm, derTag.oid)),
    issuer,
    subject,
    notBeforeMs: derTime(notBefore),
    notAfterMs: derTime(notAfter),
    extensions,
    ...basicConstraints(extensions),
    mayIssue: mayIssue(extensions),
    extendedKeyUsage: extendedKeyUsage(extensions),
  };
}

/** A distinguished name. A value that is not valid text of its type is an error: it must not become another name. */
export function parseName(element: DerElement): DistinguishedName {
  const attributes: NameAttribute[] = [];
  for (const set of derChildren(element)) {
    for (const pair of derChildren(expectDer(set, derTag.set))) {
      const [type, value] = derChildren(expectDer(pair, derTag.sequence));
      if (type === undefined || value === undefined) throw new DerError("a name attribute is incomplete");
      const name = derOid(type);
      const text = derText(value);
      if (text === undefined) {
        if (name === oid.commonName || name === oid.organization)
          throw new DerError("a name attribute is not a string");
        continue;
      }
      attributes.push({ oid: name, value: text });
    }
  }
  return { attributes, der: element.encoded };
}

/** All values of one attribute of a name, in order. */
export function nameValues(name: DistinguishedName, attribute: string): string[] {
  return name.attributes.filter((a) => a.oid === attribute).map((a) => a.value);
}

/** The common name; several: the last one, as in the reference server. Empty: none. */
export function commonName(name: DistinguishedName): string {
  return nameValues(name, oid.commonName).at(-1) ?? "";
}

/** `element`: the sequence of extensions; undefined: none. One that occurs twice is an error. */
export function parseExtensions(element: DerElement | undefined): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  if (element === undefined) return extensions;
  for (const item of derChildren(expectDer(element, derTag.sequence))) {
    const parts = derChildren(expectDer(item, derTag.sequence));
    const name = derOid(expectDer(parts[0], derTag.oid));
    const critical = parts.length === 3 && expectDer(parts[1], derTag.boolean).contents[0] !== 0;
    const value = expectDer(parts[parts.length - 1], derTag.octetString).contents;
    if (extensions.has(name)) throw new DerError("an extension occurs twice");
    extensions.set(name, { oid: name, critical, value });
  }
  return extensions;
}

/** Names of a subjectAltName extension by kind; kinds other than these four are counted in `other`. */
export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly ips: readonly Buffer[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
  readonly other: number;
}

export function parseAlternativeNames(extension: Extension | undefined): AlternativeNames {
  const names = { dns: [] as string[], ips: [] as Buffer[], emails: [] as string[], uris: [] as string[], other: 0 };
  if (extension === undefined) return names;
  for (const name of derChildren(expectDer(readWholeDer(extension.value), derTag.sequence))) {
    if (name.tag === 0x82) names.dns.push(name.contents.toString("latin1"));
    else if (name.tag === 0x87) names.ips.push(name.contents);
    else if (name.tag === 0x81) names.emails.push(name.contents.toString("latin1"));
    else if (name.tag === 0x86) names.uris.push(name.contents.toString("latin1"));
    else names.other++;
  }
  return names;
}

function basicConstraints(extensions: ReadonlyMap<string, Extension>): {
  isAuthority: boolean;
  pathLength: number | undefined;
} {
  const extension = extensions.get(oid.basicConstraints);
  if (extension === undefined) return { isAuthority: false, pathLength: undefined };
  const parts = derChildren(expectDer(readWholeDer(extension.value), derTag.sequence));
  const isAuthority = parts[0]?.tag === derTag.boolean && parts[0].contents[0] !== 0;
  const length = parts.find((part) => part.tag === derTag.integer)?.contents;
  if (length === undefined) return { isAuthority, pathLength: undefined };
  if (length.length === 0 || length.length > 4) throw new DerError("the path length is not a small integer");
  return { isAuthority, pathLength: length.readIntBE(0, length.length) };
}

function mayIssue(extensions: ReadonlyMap<string, Extension>): boolean | undefined {
  const bits = keyUsageBits(extensions);
  return bits === undefined ? undefined : (bits & 0x04) !== 0; // bit 5: keyCertSign
}

/** The first eight key usages, digital signature first (0x80); undefined: no such extension. */
export function keyUsageBits(extensions: ReadonlyMap<string, Extension>): number | undefined {
  const extension = extensions.get(oid.keyUsage);
  if (extension === undefined) return undefined;
  return expectDer(readWholeDer(extension.value), derTag.bitString).contents[1] ?? 0;
}

function extendedKeyUsage(extensions: ReadonlyMap<string, Extension>): readonly string[] | undefined {
  const extension = extensions.get(oid.extendedKeyUsage);
  if (extension === undefined) return undefined;
  return derChildren(expectDer(readWholeDer(extension.value), derTag.sequence)).map(derOid);
}
