/** Makes certificates and requests for tests, including invalid ones that no honest tool would make. */

import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { writeAttribute, writeDer, writeExtension, writeOid, writeSigned, writeTime } from "./der-write.ts";
import { writePem } from "./pem.ts";

/** `[["2.5.4.10", "dev"], ["2.5.4.3", "ann"]]`; a list of lists in place of a pair makes one set of several attributes. */
export type NameSpec = readonly (readonly [string, string] | readonly (readonly [string, string])[])[];

function nameOf(spec: NameSpec, stringTag = 0x0c): Buffer {
  const attribute = ([type, value]: readonly [string, string]) => writeAttribute(type, value, stringTag);
  return writeDer(
    0x30,
    spec.map((entry) =>
      typeof entry[0] === "string"
        ? writeDer(0x31, attribute(entry as readonly [string, string]))
        : writeDer(0x31, (entry as readonly (readonly [string, string])[]).map(attribute)),
    ),
  );
}

export const clientAuth = "1.3.6.1.5.5.7.3.2";
export const serverAuth = "1.3.6.1.5.5.7.3.1";

export interface CertificateSpec {
  readonly subject: NameSpec;
  readonly issuer?: Authority;
  readonly serial?: number;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly authority?: boolean;
  readonly pathLength?: number;
  /** Undefined: no extension. */
  readonly usages?: readonly string[] | undefined;
  readonly keys?: { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
  readonly moreExtensions?: readonly Buffer[];
  /** Signed with SHA-1, which is no longer secure. */
  readonly sha1?: boolean;
}

export interface Authority {
  readonly der: Buffer;
  readonly pem: string;
  readonly subjectDer: Buffer;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export const newKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

/** Self-signed where no issuer is given. Signed with ECDSA on P-256. */
export function makeCertificate(spec: CertificateSpec): Authority {
  const { privateKey, publicKey } = spec.keys ?? newKeys();
  const subjectDer = nameOf(spec.subject);
  const ecdsa = writeDer(0x30, writeOid(spec.sha1 ? "1.2.840.10045.4.1" : "1.2.840.10045.4.3.2"));
  const extensions = [
    ...(spec.authority
      ? [
          writeExtension(
            "2.5.29.19",
            writeDer(
              0x30,
              writeDer(0x01, Buffer.from([0xff])),
              spec.pathLength === undefined ? [] : [writeDer(0x02, Buffer.from([spec.pathLength]))],
            ),
            true,
          ),
        ]
      : []),
    ...(spec.usages ? [writeExtension("2.5.29.37", writeDer(0x30, spec.usages.map(writeOid)))] : []),
    ...(spec.moreExtensions ?? []),
  ];
  const tbs = writeDer(
    0x30,
    writeDer(0xa0, writeDer(0x02, Buffer.from([2]))),
    writeDer(0x02, Buffer.from([spec.serial ?? 1])),
    ecdsa,
    spec.issuer?.subjectDer ?? subjectDer,
    writeDer(
      0x30,
      writeTime((spec.notBefore ?? new Date("2020-01-01T00:00:00Z")).getTime()),
      writeTime((spec.notAfter ?? new Date("2040-01-01T00:00:00Z")).getTime()),
    ),
    subjectDer,
    publicKey.export({ type: "spki", format: "der" }),
    extensions.length > 0 ? [writeDer(0xa3, writeDer(0x30, extensions))] : [],
  );
  const signature = sign(spec.sha1 ? "sha1" : "sha256", tbs, spec.issuer?.privateKey ?? privateKey);
  const bytes = writeSigned(tbs, ecdsa, signature);
  return { der: bytes, pem: writePem("CERTIFICATE", bytes), subjectDer, privateKey, publicKey };
}

export function makeRequest(
  subject: NameSpec,
  extensions: readonly Buffer[] = [],
  { privateKey, publicKey } = newKeys(),
): { pem: string; der: Buffer } {
  const wanted = writeDer(0x30, writeOid("1.2.840.113549.1.9.14"), writeDer(0x31, writeDer(0x30, extensions)));
  const info = writeDer(
    0x30,
    writeDer(0x02, Buffer.from([0])),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    writeDer(0xa0, extensions.length > 0 ? [wanted] : []),
  );
  const ecdsa = writeDer(0x30, writeOid("1.2.840.10045.4.3.2"));
  const bytes = writeSigned(info, ecdsa, sign("sha256", info, privateKey));
  return { der: bytes, pem: writePem("CERTIFICATE REQUEST", bytes) };
}
