/** Writes DER, the binary form of certificates and certificate requests: the counterpart of the reader in der.ts. */

import { derTag } from "./der.ts";

/** One element around its contents, which are already encoded. */
export function writeDer(tag: number, ...contents: readonly (Uint8Array | readonly Uint8Array[])[]): Buffer {
  const body = Buffer.concat(contents.flatMap((part) => (part instanceof Uint8Array ? [part] : part)));
  return Buffer.concat([Buffer.from([tag, ...lengthOctets(body.length)]), body]);
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const octets: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 0x100)) octets.unshift(left & 0xff);
  return [0x80 | octets.length, ...octets];
}

/** An object identifier given as text: "2.5.4.3". */
export function writeOid(text: string): Buffer {
  const [root = 0, second = 0, ...rest] = text.split(".").map(Number);
  const octets = [root * 40 + second, ...rest].flatMap((part) => {
    const groups = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return writeDer(derTag.oid, Buffer.from(octets));
}

/** A time in the form that certificates must use: two digits of the year up to 2049, four from then on. */
export function writeTime(ms: number): Buffer {
  const text = `${new Date(ms).toISOString().replace(/[-:T]|\.\d+Z$/g, "")}Z`;
  return Number(text.slice(0, 4)) < 2050
    ? writeDer(derTag.utcTime, Buffer.from(text.slice(2), "latin1"))
    : writeDer(derTag.generalizedTime, Buffer.from(text, "latin1"));
}

/** A distinguished name with one set for each attribute: `[["2.5.4.10", "dev"], ["2.5.4.3", "ann"]]`. */
export function writeName(attributes: readonly (readonly [oid: string, value: string])[]): Buffer {
  return writeDer(
    derTag.sequence,
    attributes.map(([type, value]) => writeDer(derTag.set, writeAttribute(type, value))),
  );
}

export function writeAttribute(type: string, value: string, stringTag: number = derTag.utf8String): Buffer {
  return writeDer(derTag.sequence, writeOid(type), writeDer(stringTag, Buffer.from(value, "utf8")));
}

/** `value`: the extension's own element. */
export function writeExtension(type: string, value: Uint8Array, critical = false): Buffer {
  const flag = critical ? [writeDer(derTag.boolean, Buffer.from([0xff]))] : [];
  return writeDer(derTag.sequence, writeOid(type), flag, writeDer(derTag.octetString, value));
}

/** The signed part, the algorithm and the signature: the outer form of certificates and requests. */
export function writeSigned(contents: Uint8Array, algorithm: Uint8Array, signature: Uint8Array): Buffer {
  return writeDer(derTag.sequence, contents, algorithm, writeDer(derTag.bitString, Buffer.from([0]), signature));
}
