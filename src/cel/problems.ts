/** What is wrong with an expression, and where; printed as people know it, with the line and a pointer. */

export interface Problem {
  /** Position in the text, in UTF-16 units. */
  readonly offset: number;
  readonly message: string;
}

/** "1:5": lines from 1, columns from 1 in code points. */
function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: [...before.slice(lineStart)].length + 1 };
}

/**
 * ERROR: <input>:1:5: undeclared reference to 'x' (in container '')
 *  | self.x
 *  | ....^
 */
export function describeProblems(text: string, problems: readonly Problem[]): string {
  return problems.map((problem) => describeProblem(text, problem)).join("\n");
}

/** Longer lines are shown without the line itself. */
const shownLineCharsMax = 1_000;

function describeProblem(text: string, { offset, message }: Problem): string {
  const { line, column } = positionOf(text, offset);
  const head = `ERROR: <input>:${line}:${column}: ${message}`;
  const source = text.split("\n")[line - 1] ?? "";
  if (source.length > shownLineCharsMax) return head;
  return `${head}\n | ${source.replaceAll("\t", " ")}\n | ${".".repeat(column - 1)}^`;
}
