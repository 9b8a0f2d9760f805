import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DerError, derChildren, derOid, derText, derTime, readDer, readWholeDer } from "./der.ts";
import { writeDer, writeOid } from "./der-write.ts";

describe("reading DER", () => {
  test("an element is read with its contents and its encoding", () => {
    const bytes = Buffer.concat([writeDer(0x30, writeDer(0x02, Buffer.from([5]))), Buffer.from([9, 9])]);
    const element = readDer(bytes);
    expect([element.tag, element.encoded.length]).toEqual([0x30, 5]);
    expect(derChildren(element).map((child) => [child.tag, [...child.contents]])).toEqual([[0x02, [5]]]);
    expect(() => readWholeDer(bytes)).toThrow(DerError);
  });

  const broken = [
    { why: "no bytes", bytes: [] },
    { why: "a tag without a length", bytes: [0x30] },
    { why: "truncated contents", bytes: [0x04, 5, 1, 2] },
    { why: "an indefinite length", bytes: [0x30, 0x80, 0, 0] },
    { why: "a length that could be shorter", bytes: [0x04, 0x81, 1, 7] },
    { why: "a length that begins with zero", bytes: [0x04, 0x82, 0, 0x81, ...new Array(0x81).fill(0)] },
    { why: "a length of five octets", bytes: [0x04, 0x85, 0, 0, 0, 0, 1, 7] },
    { why: "a tag of several octets", bytes: [0x1f, 0x81, 0, 0] },
  ];
  for (const { why, bytes } of broken) {
    test(`${why} is refused`, () => expect(() => readDer(Buffer.from(bytes))).toThrow(DerError));
  }

  test("any bytes are either read or refused with a DerError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          derChildren(readDer(Buffer.from(bytes)));
        } catch (error) {
          expect(error).toBeInstanceOf(DerError);
        }
      }),
    );
  });

  test("object identifiers are read back as written", () => {
    for (const oid of ["2.5.4.3", "1.2.840.113549.1.9.14", "1.3.6.1.5.5.7.3.2"]) {
      expect(derOid(readDer(writeOid(oid)))).toBe(oid);
    }
  });

  test("bytes that are invalid for their string type are refused", () => {
    expect(derText(readDer(writeDer(0x0c, Buffer.from("é"))))).toBe("é");
    expect(derText(readDer(writeDer(0x0c, Buffer.from([0xc3]))))).toBeUndefined();
    expect(derText(readDer(writeDer(0x13, Buffer.from([0xe9]))))).toBeUndefined();
    expect(derText(readDer(writeDer(0x1e, Buffer.from([0, 65, 0, 66]))))).toBe("AB");
  });

  test("times that do not exist are refused", () => {
    const time = (tag: number, text: string) => derTime(readDer(writeDer(tag, Buffer.from(text))));
    expect(new Date(time(0x17, "491231235959Z")).toISOString()).toBe("2049-12-31T23:59:59.000Z");
    expect(new Date(time(0x17, "500101000000Z")).toISOString()).toBe("1950-01-01T00:00:00.000Z");
    expect(new Date(time(0x18, "20500101000000Z")).toISOString()).toBe("2050-01-01T00:00:00.000Z");
    for (const text of ["210230000000Z", "2101010000Z", "210101240000Z", "210101000000+0100"]) {
      expect(() => time(0x17, text), text).toThrow(DerError);
    }
  });
});
