/** Many words that differ in the number of a release only, told as a span: "kubernetes-1.21 to kubernetes-1.37". */

/** Fewer are told one by one. */
const spanMin = 4;

/** Words that belong to no span stay as they are, each at the place of its first. */
export function spansOf(words: readonly string[], between: string): string[] {
  const found = new Map<string, number[]>();
  for (const word of words) {
    const { stem, minor } = partsOf(word);
    found.set(stem, [...(found.get(stem) ?? []), minor]);
  }
  return [...found].flatMap(([stem, minors]) => {
    if (minors.length < spanMin || !isWithoutGap(minors)) return words.filter((word) => partsOf(word).stem === stem);
    return [`${stem}${Math.min(...minors)}${between}${stem}${Math.max(...minors)}`];
  });
}

function partsOf(word: string): { readonly stem: string; readonly minor: number } {
  const [, stem, minor] = /^(.*\b\d+\.)(\d+)$/.exec(word) ?? [];
  return stem === undefined ? { stem: word, minor: 0 } : { stem, minor: Number(minor) };
}

const isWithoutGap = (minors: readonly number[]): boolean =>
  new Set(minors).size === minors.length && Math.max(...minors) - Math.min(...minors) === minors.length - 1;
