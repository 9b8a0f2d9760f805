/** Lines of logs: their level, where a searched word is in them, and the control sequences of terminals that they lose. */

type LogLevel = "error" | "warning" | "plain";

const error =
  /\b(level|lvl|severity)["']?[=:]\s*["']?(error|err|fatal|panic|critical)\b|^\S*\s*(ERROR|FATAL|PANIC|CRITICAL)\b|^[EF]\d{4} |\[(error|fatal)\]/i;
const warning = /\b(level|lvl|severity)["']?[=:]\s*["']?(warn|warning)\b|^\S*\s*WARN(ING)?\b|^W\d{4} |\[warn(ing)?\]/i;

export function levelOf(line: string): LogLevel {
  if (error.test(line)) return "error";
  return warning.test(line) ? "warning" : "plain";
}

/** Built of texts: a pattern that names control characters is taken for a mistake. */
const sequences = new RegExp(
  [
    String.raw`\u001b\[[0-9;?]*[ -/]*[@-~]`,
    String.raw`\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)`,
    String.raw`\u001b[@-_]`,
    String.raw`[\u0000-\u0008\u000b-\u001f\u007f]`,
  ].join("|"),
  "g",
);

/** A page is no terminal: colours and cursor movements go, the text stays. */
export const plainLine = (line: string): string => line.replace(sequences, "");

interface LinePart {
  readonly text: string;
  readonly isFound: boolean;
}

/** More of a line are not marked. */
const marksMax = 50;

export function markedParts(line: string, word: string): readonly LinePart[] {
  if (word === "") return [{ text: line, isFound: false }];
  const [lower, wanted] = [line.toLowerCase(), word.toLowerCase()];
  const parts: LinePart[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0 && parts.length < marksMax * 2; at = lower.indexOf(wanted, from)) {
    if (at > from) parts.push({ text: line.slice(from, at), isFound: false });
    parts.push({ text: line.slice(at, at + wanted.length), isFound: true });
    from = at + wanted.length;
  }
  if (from < line.length) parts.push({ text: line.slice(from), isFound: false });
  return parts;
}
