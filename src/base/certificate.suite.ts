/** Writes DER, certificates and requests for tests: also those that no honest tool would make. */

import type { KeyObject } from "node:crypto";
import { generateKeyPairSync, sign } from "node:crypto";

export function der(tag: number, ...contents: (Buffer | readonly Buffer[])[]): Buffer {
  const body = Buffer.concat(contents.flat() as Buffer[]);
  const { length } = body;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), body]);
  const bytes =
    length < 0x100
      ? [length]
      : length < 0x10000
        ? [length >> 8, length & 255]
        : [length >> 16, (length >> 8) & 255, length & 255];
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), body]);
}

export function derOidOf(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}

/** `[["2.5.4.10", "dev"], ["2.5.4.3", "ann"]]`; a list of lists in one place makes one set of several attributes. */
export type NameSpec = readonly (readonly [string, string] | readonly (readonly [string, string])[])[];

export function nameOf(spec: NameSpec, stringTag = 0x0c): Buffer {
  const attribute = ([type, value]: readonly [string, string]) =>
    der(0x30, derOidOf(type), der(stringTag, Buffer.from(value, "utf8")));
  return der(
    0x30,
    spec.map((entry) =>
      typeof entry[0] === "string"
        ? der(0x31, attribute(entry as readonly [string, string]))
        : der(0x31, (entry as readonly (readonly [string, string])[]).map(attribute)),
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
  const ecdsa = der(0x30, derOidOf("1.2.840.10045.4.3.2"));
  const extensions = [
    ...(spec.authority
      ? [
          extension(
            "2.5.29.19",
            der(
              0x30,
              der(0x01, Buffer.from([0xff])),
              spec.pathLength === undefined ? [] : [der(0x02, Buffer.from([spec.pathLength]))],
            ),
            true,
          ),
        ]
      : []),
    ...(spec.usages ? [extension("2.5.29.37", der(0x30, spec.usages.map(derOidOf)))] : []),
    ...(spec.moreExtensions ?? []),
  ];
  const tbs = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([spec.serial ?? 1])),
    ecdsa,
    spec.issuer?.subjectDer ?? subjectDer,
    der(
      0x30,
      utcTime(spec.notBefore ?? new Date("2020-01-01T00:00:00Z")),
      utcTime(spec.notAfter ?? new Date("2040-01-01T00:00:00Z")),
    ),
    subjectDer,
    publicKey.export({ type: "spki", format: "der" }),
    extensions.length > 0 ? [der(0xa3, der(0x30, extensions))] : [],
  );
  const signature = sign("sha256", tbs, spec.issuer?.privateKey ?? privateKey);
  const bytes = der(0x30, tbs, ecdsa, der(0x03, Buffer.from([0]), signature));
  return { der: bytes, pem: pemOf("CERTIFICATE", bytes), subjectDer, privateKey, publicKey };
}

export function extension(type: string, value: Buffer, critical = false): Buffer {
  return der(0x30, derOidOf(type), critical ? [der(0x01, Buffer.from([0xff]))] : [], der(0x04, value));
}

export function makeRequest(subject: NameSpec, extensions: readonly Buffer[] = []): { pem: string; der: Buffer } {
  const { privateKey, publicKey } = newKeys();
  const wanted = der(0x30, derOidOf("1.2.840.113549.1.9.14"), der(0x31, der(0x30, extensions)));
  const info = der(
    0x30,
    der(0x02, Buffer.from([0])),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa0, extensions.length > 0 ? [wanted] : []),
  );
  const ecdsa = der(0x30, derOidOf("1.2.840.10045.4.3.2"));
  const bytes = der(0x30, info, ecdsa, der(0x03, Buffer.from([0]), sign("sha256", info, privateKey)));
  return { der: bytes, pem: pemOf("CERTIFICATE REQUEST", bytes) };
}

export function pemOf(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

function utcTime(date: Date): Buffer {
  const text = date.toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(0x17, Buffer.from(text.slice(2), "latin1"));
}
