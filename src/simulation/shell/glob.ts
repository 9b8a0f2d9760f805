/** Patterns of file names and of `case`: `*`, `?` and `[a-z]`. */

/** A text, or a part of one; what was quoted stands for itself. */
export interface Segment {
  readonly text: string;
  readonly quoted: boolean;
}

/** A pattern as its characters. */
export type Pattern = readonly { readonly char: string; readonly quoted: boolean }[];

export const hasWildcard = (segments: readonly Segment[]): boolean =>
  segments.some(({ text, quoted }) => !quoted && /[*?[]/.test(text));

export const patternOf = (segments: readonly Segment[]): Pattern =>
  segments.flatMap(({ text, quoted }) => [...text].map((char) => ({ char, quoted })));

/** Without backtracking beyond the last star, so the work is at most text × pattern. */
export function matches(chars: Pattern, text: string): boolean {
  let [at, inText] = [0, 0];
  let star: { readonly at: number; inText: number } | undefined;
  while (inText < text.length) {
    const width = at < chars.length ? oneAt(chars, at, text[inText] ?? "") : 0;
    if (at < chars.length && !chars[at]!.quoted && chars[at]!.char === "*") star = { at: ++at, inText };
    else if (width > 0) {
      at += width;
      inText++;
    } else if (star !== undefined) {
      at = star.at;
      inText = ++star.inText;
    } else return false;
  }
  while (at < chars.length && !chars[at]!.quoted && chars[at]!.char === "*") at++;
  return at === chars.length;
}

/** How many characters of the pattern match this one; 0: none. */
function oneAt(chars: Pattern, at: number, char: string): number {
  const one = chars[at]!;
  if (one.quoted) return one.char === char ? 1 : 0;
  if (one.char === "?") return 1;
  if (one.char !== "[") return one.char === char && one.char !== "*" ? 1 : 0;
  const isNot = chars[at + 1]?.char === "!" || chars[at + 1]?.char === "^";
  const from = at + (isNot ? 2 : 1);
  const end = chars.findIndex((other, index) => index > from && other.char === "]");
  if (end < 0) return char === "[" ? 1 : 0;
  let isIn = false;
  for (let index = from; index < end; index++) {
    const first = chars[index]!.char;
    const isRange = chars[index + 1]?.char === "-" && index + 2 < end;
    if (isRange ? char >= first && char <= chars[index + 2]!.char : char === first) isIn = true;
    if (isRange) index += 2;
  }
  return isIn !== isNot ? end - at + 1 : 0;
}
