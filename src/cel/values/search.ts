/**
 * Finds a part in a text in linear time. What the engine offers takes as long as text times part on hostile texts
 * (`"aaa…a".lastIndexOf("baaa…a")`), although only the text is counted.
 */

/** Up to this product of lengths, or for so short a part, the engine's own search is fast enough. */
const quickProductMax = 100_000;
const quickPartMax = 8;

const isQuick = (chars: number, part: string): boolean =>
  part.length <= quickPartMax || chars * part.length <= quickProductMax;

interface Search {
  /** The first place at or after `from`; -1: there is none. */
  first(text: string, from: number): number;
  /** The last place at or before `upTo`; -1: there is none. */
  last(text: string, upTo: number): number;
}

/** What is prepared for a part serves all searches for it. */
export function searchFor(part: string): Search {
  const size = part.length;
  let forwards: Int32Array | undefined;
  let backwards: Int32Array | undefined;
  return {
    first(text, from) {
      if (isQuick(text.length - from, part)) return text.indexOf(part, from);
      forwards ??= bordersOf(part, 0, 1);
      let length = 0;
      for (let at = from; at < text.length; at++) {
        const unit = text.charCodeAt(at);
        while (length > 0 && unit !== part.charCodeAt(length)) length = forwards[length - 1]!;
        if (unit === part.charCodeAt(length)) length++;
        if (length === size) return at - size + 1;
      }
      return -1;
    },
    last(text, upTo) {
      const end = Math.min(text.length, upTo + size);
      if (isQuick(end, part)) return text.lastIndexOf(part, upTo);
      backwards ??= bordersOf(part, size - 1, -1);
      let length = 0;
      for (let at = end - 1; at >= 0; at--) {
        const unit = text.charCodeAt(at);
        while (length > 0 && unit !== part.charCodeAt(size - 1 - length)) length = backwards[length - 1]!;
        if (unit === part.charCodeAt(size - 1 - length)) length++;
        if (length === size) return at;
      }
      return -1;
    },
  };
}

/**
 * For each beginning of the part, read from `start` in one direction, the length of the longest shorter beginning that also ends it: where
 * a comparison goes on after a mismatch. "aabaa": 0 1 0 1 2.
 */
function bordersOf(part: string, start: number, direction: 1 | -1): Int32Array {
  const borders = new Int32Array(part.length);
  for (let at = 1, length = 0; at < part.length; at++) {
    const unit = part.charCodeAt(start + direction * at);
    while (length > 0 && unit !== part.charCodeAt(start + direction * length)) length = borders[length - 1]!;
    if (unit === part.charCodeAt(start + direction * length)) length++;
    borders[at] = length;
  }
  return borders;
}
