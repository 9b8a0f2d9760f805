/** What makes a text no expression, and reading at a place of the text. */

export class SyntaxProblem extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(`Syntax error: ${message}`);
    this.offset = offset;
  }
}

export function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
