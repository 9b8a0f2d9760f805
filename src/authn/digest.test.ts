import { describe, expect, test } from "vitest";
import { createDigester } from "./digest.ts";

describe("digests of secrets", () => {
  const digester = createDigester();

  test("are the same with and without a connection, whatever it sent before", () => {
    const [one, two] = [{}, {}];
    for (const secret of ["a", "b", "b", "a", "", "a"]) {
      for (const connection of [one, two, undefined]) {
        expect(digester.digest(secret, connection)).toBe(digester.digest(secret));
      }
    }
    expect(digester.digest("a", one)).not.toBe(digester.digest("b", one));
  });

  test("differ from process to process", () => {
    expect(createDigester().digest("a")).not.toBe(digester.digest("a"));
  });

  test("compare equal for equal secrets only", () => {
    expect(digester.equal("a", "a")).toBe(true);
    expect(digester.equal("a", "ab")).toBe(false);
  });
});
