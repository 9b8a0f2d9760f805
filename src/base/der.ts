/** Reads DER, the binary form of certificates and certificate requests, with every length checked before it is used. */

/** One element. `contents` and `encoded` are views of the input, never copies. */
export interface DerElement {
  /** The identifier octet: 0x30 a sequence, 0x31 a set, 0x02 an integer, 0xa0 the context tag 0, … */
  readonly tag: number;
  readonly contents: Buffer;
  /** Tag, length and contents. */
  readonly encoded: Buffer;
}

/** Input that is not DER, or not the structure that was expected. */
export class DerError extends Error {
  readonly code = "DER";
}

export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  numericString: 0x12,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  universalString: 0x1c,
  bmpString: 0x1e,
} as const;

/** How many elements one structure may have; a certificate with more is hostile. */
export const derChildrenMax = 20_000;

/** Reads one element at `offset`. */
export function readDer(bytes: Buffer, offset = 0): DerElement {
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) throw new DerError("the element is cut off");
  if ((tag & 0x1f) === 0x1f) throw new DerError("tags of several octets are not used here");
  let length = first;
  let start = offset + 2;
  if (first & 0x80) {
    const count = first & 0x7f;
    if (count === 0 || count > 4) throw new DerError("the length is indefinite or too long");
    if (start + count > bytes.length) throw new DerError("the length is cut off");
    length = bytes.readUIntBE(start, count);
    start += count;
    if (length < 0x80 || (count > 1 && length < 2 ** (8 * (count - 1))))
      throw new DerError("the length is not minimal");
  }
  const end = start + length;
  if (end > bytes.length) throw new DerError("the contents are cut off");
  return { tag, contents: bytes.subarray(start, end), encoded: bytes.subarray(offset, end) };
}

/** Reads one element that must be all of `bytes`. */
export function readWholeDer(bytes: Buffer): DerElement {
  const element = readDer(bytes);
  if (element.encoded.length !== bytes.length) throw new DerError("something follows the element");
  return element;
}

/** The elements inside a constructed element, in order. */
export function derChildren(parent: DerElement): DerElement[] {
  const children: DerElement[] = [];
  for (let offset = 0; offset < parent.contents.length; ) {
    const child = readDer(parent.contents, offset);
    children.push(child);
    offset += child.encoded.length;
    if (children.length > derChildrenMax) throw new DerError("the structure has too many elements");
  }
  return children;
}

/** Checks the tag of an element that the structure requires here. */
export function expectDer(element: DerElement | undefined, tag: number): DerElement {
  if (element === undefined) throw new DerError("an element is missing");
  if (element.tag !== tag) throw new DerError(`tag ${element.tag} where ${tag} was expected`);
  return element;
}

/** An object identifier as text: "2.5.4.3". */
export function derOid(element: DerElement): string {
  const bytes = expectDer(element, derTag.oid).contents;
  if (bytes.length === 0 || bytes.length > 64) throw new DerError("the object identifier has no valid length");
  const parts: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    if (value > 2 ** 40) throw new DerError("the object identifier has too large a part");
    value = value * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    if (parts.length === 0) {
      const root = Math.min(Math.floor(value / 40), 2);
      parts.push(root, value - root * 40);
    } else parts.push(value);
    value = 0;
  }
  if (bytes[bytes.length - 1]! & 0x80) throw new DerError("the object identifier is cut off");
  return parts.join(".");
}

/** A text of any of the string types that names use. Undefined: another type, or bytes that are not valid text of the type. */
export function derText(element: DerElement): string | undefined {
  const bytes = element.contents;
  switch (element.tag) {
    case derTag.utf8String:
      return decodeUtf8(bytes);
    case derTag.printableString:
    case derTag.ia5String:
    case derTag.numericString:
      return bytes.every((byte) => byte < 0x80) ? bytes.toString("latin1") : undefined;
    case derTag.teletexString:
      return bytes.toString("latin1");
    case derTag.bmpString:
      return bytes.length % 2 === 0 ? Buffer.from(bytes).swap16().toString("utf16le") : undefined;
    default:
      return undefined;
  }
}

/** Milliseconds since 1970 of a UTCTime or GeneralizedTime in the one form that certificates may use. */
export function derTime(element: DerElement): number {
  const text = element.contents.toString("latin1");
  const utc = element.tag === derTag.utcTime;
  if (!utc && element.tag !== derTag.generalizedTime) throw new DerError("a time was expected");
  const match = utc ? /^(\d{2})(\d{10})Z$/.exec(text) : /^(\d{4})(\d{10})Z$/.exec(text);
  if (!match) throw new DerError("the time is not in the form of certificates");
  const given = Number(match[1]);
  const year = utc ? (given >= 50 ? 1900 + given : 2000 + given) : given;
  const [month, day, hour, minute, second] = match[2]!.match(/../g)!.map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const same = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  if (!same) throw new DerError("the time does not exist");
  return date.getTime();
}

function decodeUtf8(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}
