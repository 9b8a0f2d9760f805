import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { openSecretbox, sealSecretbox } from "./secretbox.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ""), "hex");

describe("secretbox", () => {
  // The vectors of the NaCl distribution (tests/secretbox).
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
