/** Usages of a certificate by the names that requests give them. */

import { derTag } from "../../base/der.ts";
import { writeDer, writeExtension, writeOid } from "../../base/der-write.ts";
import { keyUsageExtension } from "../../base/write-certificate.ts";
import { oid } from "../../base/x509.ts";

/** Bits of the key usage extension, the first one highest. */
const keyUsages: Readonly<Record<string, number>> = {
  signing: 0x8000,
  "digital signature": 0x8000,
  "content commitment": 0x4000,
  "key encipherment": 0x2000,
  "data encipherment": 0x1000,
  "key agreement": 0x0800,
  "cert sign": 0x0400,
  "crl sign": 0x0200,
  "encipher only": 0x0100,
  "decipher only": 0x0080,
};

const extendedUsages: Readonly<Record<string, string>> = {
  any: oid.anyExtendedKeyUsage,
  "server auth": oid.serverAuth,
  "client auth": oid.clientAuth,
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
};

/** Encoded; a usage that is not known throws. */
export function usageExtensions(usages: readonly string[]): readonly Buffer[] {
  let bits = 0;
  const purposes = new Set<string>();
  for (const usage of usages) {
    const bit = Object.hasOwn(keyUsages, usage) ? keyUsages[usage] : undefined;
    const purpose = Object.hasOwn(extendedUsages, usage) ? extendedUsages[usage] : undefined;
    if (bit !== undefined) bits |= bit;
    else if (purpose !== undefined) purposes.add(purpose);
    else throw new Error(`unrecognized usage "${usage}"`);
  }
  return [
    ...(bits === 0 ? [] : [keyUsageExtension(bits)]),
    ...(purposes.size === 0
      ? []
      : [writeExtension(oid.extendedKeyUsage, writeDer(derTag.sequence, [...purposes].map(writeOid)))]),
  ];
}
