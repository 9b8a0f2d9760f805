/** Two changes of one text, put together line by line. */

import { lineEdits } from "../../base/unified-diff.ts";

/** Lines that only one of both has changed are taken from it; where both have, somebody must choose. */
export type MergePart =
  | { readonly isConflict: false; readonly lines: readonly string[] }
  | { readonly isConflict: true; readonly mine: readonly string[]; readonly theirs: readonly string[] };

/** Lines of the first text, from `from` up to `to`, that others replace. */
interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

export function mergeTexts(base: string, mine: string, theirs: string): readonly MergePart[] {
  const lines = withoutEnd(base);
  const [ours, others] = [hunksOf(base, mine), hunksOf(base, theirs)];
  const merged: MergePart[] = [];
  let at = 0;
  while (ours.length > 0 || others.length > 0) {
    const first = Math.min(ours[0]?.from ?? lines.length, others[0]?.from ?? lines.length);
    if (first > at) merged.push({ isConflict: false, lines: lines.slice(at, first) });
    const [mineHere, theirsHere, end] = takeTogether(ours, others, first);
    const [myLines, theirLines] = [apply(lines, mineHere, first, end), apply(lines, theirsHere, first, end)];
    if (theirsHere.length === 0 || myLines.join("\n") === theirLines.join("\n"))
      merged.push({ isConflict: false, lines: myLines });
    else if (mineHere.length === 0) merged.push({ isConflict: false, lines: theirLines });
    else merged.push({ isConflict: true, mine: myLines, theirs: theirLines });
    at = end;
  }
  if (at < lines.length) merged.push({ isConflict: false, lines: lines.slice(at) });
  return merged;
}

/** `isMine`: for each conflict in order, whether my lines are taken. */
export function mergedText(merged: readonly MergePart[], isMine: readonly boolean[]): string {
  let conflicts = 0;
  const lines = merged.flatMap((part) => {
    if (!part.isConflict) return part.lines;
    return isMine[conflicts++] === false ? part.theirs : part.mine;
  });
  return `${lines.join("\n")}\n`;
}

const withoutEnd = (text: string): string[] => {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
};

function hunksOf(base: string, changed: string): Hunk[] {
  const hunks: Hunk[] = [];
  let [at, from, lines]: [number, number, string[]] = [0, 0, []];
  const close = () => {
    // As many lines as before are the same fields with other values: each is a change of its own.
    if (at - from === lines.length)
      hunks.push(...lines.map((line, i) => ({ from: from + i, to: from + i + 1, lines: [line] })));
    else hunks.push({ from, to: at, lines });
    lines = [];
  };
  for (const { sign, line } of lineEdits(base, changed)) {
    if (sign === " ") {
      close();
      from = ++at;
    } else if (sign === "-") at++;
    else lines.push(line);
  }
  close();
  return hunks;
}

/** Takes all hunks that overlap, beginning with those at `first`; two insertions at one place overlap too. */
function takeTogether(ours: Hunk[], others: Hunk[], first: number): [Hunk[], Hunk[], number] {
  const taken: [Hunk[], Hunk[]] = [[], []];
  let end = first;
  for (let isMore = true; isMore; ) {
    isMore = false;
    for (const [side, hunks] of [ours, others].entries())
      for (let next = hunks[0]; next !== undefined; next = hunks[0]) {
        if (next.from > end || (next.from === end && end > first)) break;
        hunks.shift();
        taken[side === 0 ? 0 : 1].push(next);
        end = Math.max(end, next.to);
        isMore = true;
      }
  }
  return [...taken, end];
}

function apply(lines: readonly string[], hunks: readonly Hunk[], from: number, to: number): readonly string[] {
  const result: string[] = [];
  let at = from;
  for (const hunk of hunks) {
    result.push(...lines.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return [...result, ...lines.slice(at, to)];
}
