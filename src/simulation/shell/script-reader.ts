/** The lower half of the parser: moves through a script by words, blanks and lines. */

import { type Cursor, isWordEnd, NotUnderstood, type ParseList, parseQuotedText } from "./parse-word.ts";
import type { Word } from "./syntax.ts";

const reserved = [
  "if",
  "then",
  "elif",
  "else",
  "fi",
  "while",
  "until",
  "for",
  "do",
  "done",
  "case",
  "esac",
  "{",
  "}",
  "!",
  "in",
];

/** A `<<` whose text begins with the next line. */
interface WaitingText {
  readonly end: string;
  readonly isPlain: boolean;
  readonly stripsTabs: boolean;
  set(text: Word): void;
}

export class ScriptReader {
  readonly cursor: Cursor;
  readonly waiting: WaitingText[] = [];
  readonly #parseList: ParseList;

  constructor(cursor: Cursor, parseList: ParseList) {
    this.cursor = cursor;
    this.#parseList = parseList;
  }

  take(word: string): void {
    this.skipLines();
    if (this.peekReserved() !== word) throw new NotUnderstood(`"${word}" is missing`);
    this.cursor.at += word.length;
  }

  peekReserved(): string | undefined {
    return reserved.find((word) => this.starts(word) && isWordEnd(this.char(word.length)));
  }

  isAtEnd(): boolean {
    return this.cursor.at >= this.cursor.text.length || this.char() === ")";
  }

  starts(text: string): boolean {
    return this.cursor.text.startsWith(text, this.cursor.at);
  }

  char(ahead = 0): string | undefined {
    return this.cursor.text[this.cursor.at + ahead];
  }

  skipBlanks(): void {
    for (;;) {
      const char = this.char();
      if (char === "\\" && this.char(1) === "\n") this.cursor.at += 2;
      else if (char === " " || char === "\t") this.cursor.at++;
      else if (char === "#") while (this.char() !== undefined && this.char() !== "\n") this.cursor.at++;
      else return;
    }
  }

  skipLines(): void {
    for (this.skipBlanks(); this.char() === "\n" || this.char() === "\r"; this.skipBlanks()) {
      this.cursor.at++;
      this.#readTexts();
    }
  }

  /** After the end of a line the texts of its `<<` follow. */
  #readTexts(): void {
    const { text } = this.cursor;
    for (const { end, isPlain, stripsTabs, set } of this.waiting.splice(0)) {
      const lines: string[] = [];
      for (;;) {
        if (this.cursor.at >= text.length) throw new NotUnderstood("the text of << does not end");
        const newline = text.indexOf("\n", this.cursor.at);
        const raw = text.slice(this.cursor.at, newline < 0 ? text.length : newline);
        const line = stripsTabs ? raw.replace(/^\t+/, "") : raw;
        this.cursor.at = newline < 0 ? text.length : newline + 1;
        if (line === end) break;
        lines.push(`${line}\n`);
      }
      const whole = lines.join("");
      set(
        isPlain
          ? [{ at: "text", text: whole, quoted: true }]
          : parseQuotedText(whole, this.cursor.depth, this.#parseList),
      );
    }
  }
}
