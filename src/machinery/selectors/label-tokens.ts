/** The words and symbols of a label selector's text. */

type LabelSymbol = "," | "(" | ")" | "!" | "!=" | "=" | "==" | ">" | "<";

/** Exactly one of the two. `in` and `notin` are words: they are keys and values too. */
export interface LabelToken {
  readonly word?: string;
  readonly symbol?: LabelSymbol;
}

// Sticky, and no two alternatives begin alike beyond one character, so every character is read once or twice.
const token = /[ \t\r\n]+|(==|!=|[=!<>(),])|([^ \t\r\n=!<>(),]+)/y;

/** One pass over the text. Space separates words and means nothing else. */
export function tokenizeLabelSelector(text: string): LabelToken[] {
  const tokens: LabelToken[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (match === null) break; // impossible: the alternatives cover every character
    if (match[1] !== undefined)
      tokens.push({ symbol: match[1] as LabelSymbol }); // the pattern lists exactly these
    else if (match[2] !== undefined) tokens.push({ word: match[2] });
  }
  return tokens;
}
