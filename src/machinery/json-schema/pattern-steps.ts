/**
 * The size of a compiled pattern, computed without compiling it. A repeated part is compiled
 * as often as it is repeated, so a few characters can mean a million steps:
 *
 *   "ab"            2        a, b
 *   "(ab){3}"       6        three times both
 *   "(a{9}b){9}"   90        nine times a{9} and b
 */

interface Level {
  /** Steps so far. */
  total: number;
  /** How many of these steps belong to the part that a following repetition would repeat. */
  last: number;
}

/** The compiled pattern has at most about four times as many. Takes any text, and time in proportion to its length. */
export function patternSteps(pattern: string): number {
  const outer: Level[] = [];
  let level: Level = { total: 0, last: 0 };
  const add = (steps: number) => {
    level.total += steps;
    level.last = steps;
  };
  for (let at = 0; at < pattern.length; at++) {
    switch (pattern[at]) {
      case "\\":
        at = endOfEscape(pattern, at);
        add(1);
        break;
      case "[":
        at = endOfClass(pattern, at);
        add(1);
        break;
      case "(":
        outer.push(level);
        level = { total: 0, last: 0 };
        break;
      case ")": {
        const { total } = level;
        level = outer.pop() ?? level;
        add(total + 2);
        break;
      }
      case "{": {
        repetition.lastIndex = at;
        const found = repetition.exec(pattern);
        if (found === null) add(1);
        else {
          const times = Math.max(Number(found[1]), Number(found[2] || 0), 1);
          level.total += level.last * (times - 1);
          level.last *= times;
          at += found[0].length - 1;
        }
        break;
      }
      default:
        add(1);
    }
  }
  return outer.reduce((sum, { total }) => sum + total, level.total);
}

const repetition = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;

/** The position of the last character of `\d`, `\pL`, `\p{Greek}` or `\x{10FFFF}`. */
function endOfEscape(pattern: string, at: number): number {
  const end = /[pPx]/.test(pattern[at + 1] ?? "") && pattern[at + 2] === "{" ? pattern.indexOf("}", at) : -1;
  return end < 0 ? at + 1 : end;
}

/** The position of the bracket that closes a class; in first position it belongs to the class. */
function endOfClass(pattern: string, at: number): number {
  let end = at + 1;
  if (pattern[end] === "^") end++;
  if (pattern[end] === "]") end++;
  while (end < pattern.length && pattern[end] !== "]") end += pattern[end] === "\\" ? 2 : 1;
  return end;
}
