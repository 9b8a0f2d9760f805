/** The YAML library with our parsing rules, loaded on first use. */

import { createRequire } from "node:module";
import { onFirstUse } from "../../base/first-use.ts";

type Library = typeof import("js-yaml");
type Schema = InstanceType<Library["Schema"]>;

interface YamlEngine extends Library {
  /** The schema of parsed values. Timestamps stay texts and there are no other tags: the result has only JSON's types. */
  readonly read: Schema;
}

/** Most servers never see YAML, so a start does not wait for the library. */
export const yamlEngine: () => YamlEngine = onFirstUse(() =>
  // The package is a direct dependency, and its version matches its types.
  createEngine(createRequire(import.meta.url)("js-yaml") as Library),
);

const words = new Map<string, boolean | null>([
  ...["y", "yes", "true", "on"].flatMap((word) => spellings(word).map((text) => [text, true] as const)),
  ...["n", "no", "false", "off"].flatMap((word) => spellings(word).map((text) => [text, false] as const)),
  ...["", "~", "null", "Null", "NULL"].map((text) => [text, null] as const),
]);

function spellings(word: string): string[] {
  return [word, word[0]?.toUpperCase() + word.slice(1), word.toUpperCase()];
}

const digitStarts = [..."+-0123456789"];
const integerForms = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const floatForm = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Longer scalars are strings, even if they look like other types. */
const numberCharsMax = 400;

function createEngine(library: Library): YamlEngine {
  const { Schema, defineScalarTag, mapTag, mergeTag, seqTag, strTag } = library;
  const NOT_RESOLVED: Library["NOT_RESOLVED"] = library.NOT_RESOLVED;

  const nullTag = defineScalarTag<null>("tag:yaml.org,2002:null", {
    implicit: true,
    implicitFirstChars: ["", "~", "n", "N"],
    resolve: (source) => (words.get(source) === null ? null : NOT_RESOLVED),
    identify: () => false,
  });

  const boolTag = defineScalarTag<boolean>("tag:yaml.org,2002:bool", {
    implicit: true,
    implicitFirstChars: [..."yYtToOnNfF"],
    resolve: (source) => words.get(source) ?? NOT_RESOLVED,
    identify: () => false,
  });

  /** Decimal, 0x, 0b, and octal as 017 or 0o17; underscores may group digits. */
  const intTag = defineScalarTag<number | bigint>("tag:yaml.org,2002:int", {
    implicit: true,
    implicitFirstChars: digitStarts,
    resolve(source) {
      if (source.length > numberCharsMax) return NOT_RESOLVED;
      const plain = source.replaceAll("_", "");
      if (!integerForms.test(plain)) return NOT_RESOLVED;
      const negative = plain.startsWith("-");
      const unsigned = plain.replace(/^[-+]/, "");
      const magnitude = BigInt(/^0[0-7]/.test(unsigned) ? `0o${unsigned.slice(1)}` : unsigned.toLowerCase());
      const exact = negative ? -magnitude : magnitude;
      // More than 64 bits: a float if it has the form of one, otherwise a text.
      if (exact < -(2n ** 63n) || exact >= 2n ** 64n) return NOT_RESOLVED;
      const value = Number(exact);
      return Number.isSafeInteger(value) || exact >= 2n ** 63n ? value : exact;
    },
    identify: () => false,
  });

  const floatTag = defineScalarTag<number>("tag:yaml.org,2002:float", {
    implicit: true,
    implicitFirstChars: [...digitStarts, "."],
    resolve(source) {
      if (source.length > numberCharsMax) return NOT_RESOLVED;
      const plain = source.replaceAll("_", "");
      // A value too large for a number is a text.
      if (floatForm.test(plain)) return Number.isFinite(Number(plain)) ? Number(plain) : NOT_RESOLVED;
      return /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/.test(plain) ? Number.NaN : NOT_RESOLVED;
    },
    identify: () => false,
  });

  return {
    ...library,
    read: new Schema([strTag, nullTag, boolTag, intTag, floatTag, mergeTag, seqTag, mapTag]),
  };
}
