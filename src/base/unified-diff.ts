/** The differences of two texts in unified form, found without another program. */

const contextLines = 3;
/** Longer texts are compared as one block: the search takes time in proportion to the square of their difference. */
const linesMax = 20_000;
const editsMax = 5_000;

/** A line that both texts have, only the one before, or only the one after. */
type LineEdit = { readonly sign: " " | "-" | "+"; readonly line: string };

/** "" if the texts are equal. */
export function unifiedDiff(
  before: string,
  after: string,
  names?: { readonly before: string; readonly after: string },
): string {
  if (before === after) return "";
  const edits = lineEdits(before, after);
  const header = names === undefined ? "" : `--- ${names.before}\n+++ ${names.after}\n`;
  return header + hunksOf(edits).join("");
}

/** How one text becomes the other, line by line. */
export const lineEdits = (before: string, after: string): LineEdit[] => editsOf(linesOf(before), linesOf(after));

function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Myers: the fewest insertions and deletions, found by walking along diagonals. */
function editsOf(a: readonly string[], b: readonly string[]): LineEdit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (line: string): LineEdit => ({ sign: " ", line });
  return [
    ...a.slice(0, start).map(same),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

function middle(a: readonly string[], b: readonly string[]): LineEdit[] {
  const whole = (): LineEdit[] => [
    ...a.map((line): LineEdit => ({ sign: "-", line })),
    ...b.map((line): LineEdit => ({ sign: "+", line })),
  ];
  if (a.length === 0 || b.length === 0 || a.length + b.length > linesMax) return whole();
  const trace: Map<number, number>[] = [];
  let reached = new Map([[1, 0]]);
  for (let d = 0; d <= Math.min(a.length + b.length, editsMax); d++) {
    trace.push(new Map(reached));
    const next = new Map(reached);
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (next.get(k - 1) ?? -1) < (next.get(k + 1) ?? -1));
      let x = down ? (next.get(k + 1) ?? 0) : (next.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a, b);
    }
    reached = next;
  }
  return whole();
}

function walkBack(trace: readonly Map<number, number>[], a: readonly string[], b: readonly string[]): LineEdit[] {
  const edits: LineEdit[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = trace.length - 1; d >= 0; d--) {
    const reached = trace[d] ?? new Map<number, number>();
    const k = x - y;
    const down = k === -d || (k !== d && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));
    const previousK = down ? k + 1 : k - 1;
    const previousX = d === 0 ? 0 : (reached.get(previousK) ?? 0);
    const previousY = d === 0 ? 0 : previousX - previousK;
    while (x > previousX && y > previousY) {
      edits.push({ sign: " ", line: a[x - 1] ?? "" });
      x--;
      y--;
    }
    if (d === 0) break;
    if (down) edits.push({ sign: "+", line: b[y - 1] ?? "" });
    else edits.push({ sign: "-", line: a[x - 1] ?? "" });
    [x, y] = [previousX, previousY];
  }
  return edits.reverse();
}

function hunksOf(edits: readonly LineEdit[]): string[] {
  const hunks: string[] = [];
  const changes = edits.flatMap(({ sign }, at) => (sign === " " ? [] : [at]));
  for (let i = 0; i < changes.length; ) {
    let j = i;
    while (j + 1 < changes.length && (changes[j + 1] ?? 0) - (changes[j] ?? 0) <= contextLines * 2) j++;
    const from = Math.max(0, (changes[i] ?? 0) - contextLines);
    const to = Math.min(edits.length, (changes[j] ?? 0) + contextLines + 1);
    hunks.push(hunk(edits, from, to));
    i = j + 1;
  }
  return hunks;
}

function hunk(edits: readonly LineEdit[], from: number, to: number): string {
  const before = edits.slice(0, from);
  const part = edits.slice(from, to);
  const count = (list: readonly LineEdit[], sign: "-" | "+") =>
    list.filter((edit) => edit.sign === " " || edit.sign === sign).length;
  const range = (sign: "-" | "+") => {
    const lines = count(part, sign);
    const start = count(before, sign) + (lines === 0 ? 0 : 1);
    return lines === 1 ? `${start}` : `${start},${lines}`;
  };
  return `@@ -${range("-")} +${range("+")} @@\n${part.map(({ sign, line }) => `${sign}${line}\n`).join("")}`;
}
