import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  milliValue,
  parseQuantity,
  quantityCharsMax,
  roundToMilli,
  subtractQuantities,
  wholeValue,
} from "./quantity.ts";

const quantity = (text: string) => {
  const parsed = parseQuantity(text);
  if (parsed === undefined) throw new Error(`not a quantity: ${text}`);
  return parsed;
};

describe("canonical text", () => {
  const cases: readonly { text: string | number; canonical: string; why: string }[] = [
    { text: "0", canonical: "0", why: "zero has no suffix" },
    { text: "0Ki", canonical: "0", why: "zero has no suffix in any family" },
    { text: "0.5", canonical: "500m", why: "a suffix replaces a fraction" },
    { text: ".5", canonical: "500m", why: "a missing side of the point is zero" },
    { text: "1.", canonical: "1.", why: "a missing side of the point is zero, on either side" },
    { text: "1000m", canonical: "1", why: "the largest suffix is used" },
    { text: "1000", canonical: "1k", why: "the largest suffix is used for a plain number" },
    { text: "100000", canonical: "100k", why: "suffixes are powers of a thousand" },
    { text: "1024", canonical: "1024", why: "a decimal number stays decimal" },
    { text: "1024Ki", canonical: "1Mi", why: "binary suffixes are powers of 1024" },
    { text: "1000Ki", canonical: "1000Ki", why: "binary suffixes need exact powers of 1024" },
    { text: "1.5Gi", canonical: "1536Mi", why: "a suffix replaces a binary fraction" },
    { text: "0.5Ki", canonical: "512", why: "below 1024 a binary number is printed in decimal" },
    { text: "0.9765625Ki", canonical: "1k", why: "a small decimal number has its own suffixes" },
    { text: ".001Ki", canonical: "1024m", why: "a binary fraction is printed in decimal" },
    { text: ".000000000001Ki", canonical: "2n", why: "the finest unit is nano, and a positive value is never zero" },
    { text: "1e3", canonical: "1e3", why: "an exponent stays an exponent" },
    { text: "12e6", canonical: "12e6", why: "exponents are multiples of three" },
    { text: "1e4", canonical: "10e3", why: "the mantissa grows to make the exponent a multiple of three" },
    { text: "1e-1", canonical: "100e-3", why: "exponents are multiples of three also below one" },
    { text: "1000e-3", canonical: "1", why: "exponent zero is not printed" },
    { text: "1E4", canonical: "10e3", why: "E with digits is an exponent" },
    { text: "1E3", canonical: "1E3", why: "what has a multiple of three stays as it was written" },
    { text: "1.500", canonical: "1.500", why: "thousandths stay a fraction" },
    { text: "1.50", canonical: "1500m", why: "other fractions get a suffix" },
    { text: "1.5000", canonical: "1500m", why: "digits that say nothing are not kept" },
    { text: "0.500", canonical: "500m", why: "a fraction of one gets a suffix" },
    { text: "007Gi", canonical: "007Gi", why: "leading zeros of a short number are kept" },
    { text: "008Gi", canonical: "8Gi", why: "multiples of eight are printed again" },
    { text: "001000000000000000007k", canonical: "1000000000000000007k", why: "long numbers are printed again" },
    { text: "1E", canonical: "1E", why: "E without digits is exa" },
    { text: "1000E", canonical: "1000E", why: "beyond exa the mantissa grows" },
    { text: "0.1n", canonical: "1n", why: "fractions of nano are rounded up" },
    { text: "-0.1n", canonical: "-1n", why: "fractions of nano are rounded away from zero" },
    { text: "-1500m", canonical: "-1500m", why: "a minus sign stays" },
    { text: "+2", canonical: "+2", why: "plus is kept" },
    { text: "+2000", canonical: "2k", why: "plus is not printed again" },
    { text: "0001", canonical: "0001", why: "leading zeros are kept" },
    { text: "8Ei", canonical: "9223372036854775807", why: "a binary value is capped at 63 bits" },
    { text: "9223372036854775808", canonical: "9223372036854775808", why: "a decimal value is not capped" },
    { text: "Ki", canonical: "0", why: "a lone suffix is zero" },
    { text: " 1 ", canonical: "1", why: "surrounding space is ignored" },
    { text: 0.25, canonical: "250m", why: "numbers are accepted" },
    { text: 2000, canonical: "2k", why: "numbers are read as texts" },
    { text: 1e21, canonical: "1e21", why: "numbers may be large" },
  ];
  for (const { text, canonical, why } of cases) {
    test(`${text}: ${why}`, () => expect(canonicalQuantity(text)).toBe(canonical));
  }

  for (const text of [
    "",
    "1 Gi",
    "1gi",
    "1KI",
    "Gi1",
    "1.2.3",
    "1e",
    "1e+",
    "0x10",
    "1e3Ki",
    "--1",
    "1m5",
    "Pi",
    "-Ei",
    "\u0661",
  ]) {
    test(`${JSON.stringify(text)} is not a quantity`, () => expect(parseQuantity(text)).toBeUndefined());
  }
  for (const value of [true, null, undefined, {}, [], Number.NaN, Number.POSITIVE_INFINITY]) {
    test(`${String(value)} is not a quantity`, () => expect(canonicalQuantity(value)).toBeUndefined());
  }
});

describe("arithmetic", () => {
  test("equal values in different notations are equal", () => {
    expect(compareQuantities(quantity("1"), quantity("1000m"))).toBe(0);
    expect(compareQuantities(quantity("1Ki"), quantity("1k"))).toBe(1);
    expect(compareQuantities(quantity("-1"), quantity("0"))).toBe(-1);
  });
  test("sums keep the format of the first that is not zero", () => {
    expect(addQuantities(quantity("512Mi"), quantity("512Mi")).text).toBe("1Gi");
    expect(addQuantities(quantity("0"), quantity("1Gi")).text).toBe("1Gi");
    expect(subtractQuantities(quantity("1"), quantity("250m")).text).toBe("750m");
  });
  test("whole and milli values are rounded away from zero", () => {
    expect(wholeValue(quantity("1.1"))).toBe(2n);
    expect(wholeValue(quantity("-1.1"))).toBe(-2n);
    expect(milliValue(quantity("1u"))).toBe(1n);
    expect(roundToMilli(quantity("1u")).text).toBe("1m");
  });
});

describe("any quantity", () => {
  const suffix = fc.constantFrom("n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "e3", "E-4");
  const texts = fc
    .tuple(
      fc.constantFrom("", "-", "+"),
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: 12 }),
      suffix,
    )
    .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction && `.${fraction}`}${unit}`);

  test("its canonical text has the same value and is its own canonical text", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = quantity(text);
        const again = quantity(parsed.text);
        expect(again.nano).toBe(parsed.nano);
        expect(again.text).toBe(parsed.text);
      }),
    );
  });
  test("adding and subtracting again changes nothing", () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const sum = addQuantities(quantity(a), quantity(b));
        expect(subtractQuantities(sum, quantity(b)).nano).toBe(quantity(a).nano);
      }),
    );
  });
  test("no text makes it throw", () => {
    fc.assert(fc.property(fc.string(), (text) => void parseQuantity(text)));
  });
});

describe("hostile quantities", () => {
  test("exponents and lengths beyond the limits are refused at once", () => {
    const spentMs = measureWork();
    for (let round = 0; round < 2000; round++) {
      expect(parseQuantity("011E011110011110")).toBeUndefined();
      expect(parseQuantity(`1e-${round}99999999`)).toBeUndefined();
      expect(parseQuantity("9".repeat(quantityCharsMax + 1))).toBeUndefined();
    }
    expect(parseQuantity("1".repeat(1_000_000))).toBeUndefined();
    expect(spentMs()).toBeLessThan(5000);
  });
  test("the longest quantity is still read exactly", () => {
    const text = "9".repeat(quantityCharsMax - 3) + "e-9";
    expect(quantity(text).nano).toBe(BigInt("9".repeat(quantityCharsMax - 3)));
    expect(quantity("1e256").text).toBe("10e255");
    expect(quantity("1e-256").text).toBe("1e-9");
  });
});
