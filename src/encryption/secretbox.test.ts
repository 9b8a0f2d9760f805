import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { poly1305 } from "./poly1305.ts";
import { hsalsa20 } from "./salsa20.ts";
import { openSecretbox, sealSecretbox } from "./secretbox.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ""), "hex");

describe("secretbox", () => {
  // The vectors of the NaCl distribution (tests/core1, tests/secretbox).
  const shared = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
  const firstKey = hex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
  const nonce = hex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
  const message = hex(`
    be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f4
    1db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52
    f0a089bc76897040e082f937763848645e0705`);
  const box = hex(`
    f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b
    4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da
    99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5`);

  test("a long nonce chooses the key that NaCl chooses", () => {
    expect(hsalsa20(shared, Buffer.alloc(16)).toString("hex")).toBe(firstKey.toString("hex"));
  });

  test("seals to the box of NaCl, and opens it", () => {
    expect(sealSecretbox(firstKey, nonce, message).toString("hex")).toBe(box.toString("hex"));
    expect(openSecretbox(firstKey, nonce, box)?.toString("hex")).toBe(message.toString("hex"));
  });

  test("does not open a box that is truncated or has one changed bit", () => {
    for (const at of [0, 15, 16, box.length - 1]) {
      const changed = Buffer.from(box);
      changed[at]! ^= 1;
      expect(openSecretbox(firstKey, nonce, changed)).toBeUndefined();
    }
    expect(openSecretbox(firstKey, nonce, box.subarray(0, 15))).toBeUndefined();
    expect(openSecretbox(firstKey, nonce, box.subarray(0, 40))).toBeUndefined();
  });

  test("opens what it sealed, of any length", () => {
    for (const length of [0, 1, 31, 32, 33, 63, 64, 65, 1_000, 100_001]) {
      const plain = randomBytes(length);
      const key = randomBytes(32);
      const unique = randomBytes(24);
      expect(openSecretbox(key, unique, sealSecretbox(key, unique, plain))?.equals(plain)).toBe(true);
    }
  });
});

describe("poly1305", () => {
  // RFC 8439, section 2.5.2 and appendix A.3: the last ones overflow and reduce at every boundary.
  const cases = [
    {
      key: "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b",
      message: Buffer.from("Cryptographic Forum Research Group").toString("hex"),
      tag: "a8061dc1305136c6c22b8baf0c0127a9",
    },
    { key: `02${"00".repeat(31)}`, message: "ff".repeat(16), tag: "03".padEnd(32, "0") },
    { key: `02${"00".repeat(15)}${"ff".repeat(16)}`, message: `02${"00".repeat(15)}`, tag: "03".padEnd(32, "0") },
    {
      key: `01${"00".repeat(31)}`,
      message: `${"ff".repeat(16)}f0${"ff".repeat(15)}11${"00".repeat(15)}`,
      tag: "05".padEnd(32, "0"),
    },
    {
      key: `01${"00".repeat(31)}`,
      message: `${"ff".repeat(16)}fb${"fe".repeat(15)}${"01".repeat(16)}`,
      tag: "00".repeat(16),
    },
    { key: `02${"00".repeat(31)}`, message: `fd${"ff".repeat(15)}`, tag: `fa${"ff".repeat(15)}` },
    {
      key: `01000000000000000400000000000000${"00".repeat(16)}`,
      message:
        "e33594d7505e43b900000000000000003394d7505e4379cd01000000000000000000000000000000000000000000000001000000000000000000000000000000",
      tag: "14000000000000005500000000000000",
    },
  ];
  for (const [index, { key, message, tag }] of cases.entries()) {
    test(`vector ${index + 1} of the RFC`, () => expect(poly1305(hex(key), hex(message)).toString("hex")).toBe(tag));
  }
});
