/** Differences (base/difference.ts) in two parts that compress better apart: what is done, and the bytes that are new. */

import { KvError } from "../contract.ts";
import { BytesReader, BytesWriter } from "./segment-bytes.ts";

/** So many texts of a difference are looked through for one that it has put in before. */
const knownTextsMax = 64;
/** The step that puts in one of the texts before again: none of the others is zero. */
const again = 0;

/**
 * Steps are alike for objects of one kind. Where a piece is copied from counts from where the one before has ended, so that most are zero. A
 * text that is put in at several places, as a time often is, is among the new bytes once.
 */
export function splitDifference(contents: Uint8Array, steps: BytesWriter, texts: BytesWriter): void {
  const from = new BytesReader(contents);
  const known: Uint8Array[] = [];
  let expected = 0;
  while (from.at < contents.length) {
    const step = from.number();
    if ((step & 1) === 1) {
      steps.number(step);
      const copied = from.number();
      steps.signed(copied - expected);
      expected = copied + (step >>> 1);
      continue;
    }
    const text = from.bytes(step >>> 1);
    expected += text.length;
    const place = known.findIndex((one) => isSame(one, text));
    if (place >= 0) {
      steps.number(again);
      steps.number(place);
      continue;
    }
    if (known.length < knownTextsMax) known.push(text);
    steps.number(step);
    texts.bytes(text);
  }
}

/** Throws KvError("damaged"). */
export function joinDifference(stepBytes: Uint8Array, textBytes: Uint8Array): Uint8Array {
  const [steps, texts] = [new BytesReader(stepBytes), new BytesReader(textBytes)];
  const out = new BytesWriter(256);
  const known: Uint8Array[] = [];
  let expected = 0;
  const put = (text: Uint8Array) => {
    out.number(text.length * 2);
    out.bytes(text);
    expected += text.length;
  };
  while (steps.at < stepBytes.length) {
    const step = steps.number();
    if (step === again) {
      const text = known[steps.number()];
      if (text === undefined) throw new KvError("damaged", "a difference of the history is damaged");
      put(text);
    } else if ((step & 1) === 1) {
      const copied = expected + steps.signed();
      out.number(step);
      out.number(copied);
      expected = copied + (step >>> 1);
    } else {
      const text = texts.bytes(step >>> 1);
      if (known.length < knownTextsMax) known.push(text);
      put(text);
    }
  }
  return out.take();
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}
