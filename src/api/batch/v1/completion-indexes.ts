/** Lists of completion indexes as text: "1,3-5,7". */

/** The first and the last of neighbouring indexes; rising. */
type IndexRange = readonly [first: number, last: number];

/** Undefined: the text is not such a list, or names an index that is not below `completions`. The empty text has none. */
export function readIndexes(text: string, completions: number): readonly IndexRange[] | undefined {
  if (text === "") return [];
  const ranges: IndexRange[] = [];
  let before = -1;
  for (const part of text.split(",")) {
    const [low = "", high, ...more] = part.split("-");
    const [first, last] = [numberOf(low), numberOf(high ?? low)];
    if (more.length > 0 || first === undefined || last === undefined) return undefined;
    if (first <= before || last >= completions || (high === undefined ? false : first >= last)) return undefined;
    ranges.push([first, last]);
    before = last;
  }
  return ranges;
}

export const indexCount = (ranges: readonly IndexRange[]): number =>
  ranges.reduce((count, [first, last]) => count + last - first + 1, 0);

/** Whether two lists have an index in common; both rise, so one walk over both is enough. */
export function overlap(some: readonly IndexRange[], others: readonly IndexRange[]): boolean {
  let [at, other] = [0, 0];
  for (;;) {
    const [a, b] = [some[at], others[other]];
    if (a === undefined || b === undefined) return false;
    if (a[1] < b[0]) at += 1;
    else if (b[1] < a[0]) other += 1;
    else return true;
  }
}

const numberOf = (text: string) => (/^\+?[0-9]{1,10}$/.test(text) ? Number(text) : undefined);
