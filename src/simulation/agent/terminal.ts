/** What a terminal does between keys and a program: it shows what is typed, lets the line be corrected, and gives whole lines. */

interface TypedKeys {
  /** What is shown of them. */
  readonly shown: string;
  /** What the program reads. */
  readonly lines: string;
  readonly isInterrupted: boolean;
  /** Ctrl and D on an empty line: the end of the input. */
  readonly isEnded: boolean;
}

/** Lines that the arrow keys bring back, and characters of one. */
const rememberedLinesMax = 100;
const lineCharsMax = 4_096;

export class TerminalLine {
  #line: string[] = [];
  readonly #before: string[] = [];
  /** Which of the lines before is shown; as many as there are: the new one. */
  #at = 0;
  /** A sequence of a key that has not ended, and bytes of a character. */
  #rest = "";
  readonly #decoder = new TextDecoder();

  type(data: Uint8Array): TypedKeys {
    let [shown, lines] = ["", ""];
    let [isInterrupted, isEnded] = [false, false];
    const text = this.#rest + this.#decoder.decode(data, { stream: true });
    this.#rest = "";
    const replace = (line: readonly string[]) => {
      shown += "\b \b".repeat(this.#line.length) + line.join("");
      this.#line = [...line];
    };
    for (const key of keysOf(text)) {
      if (key === "\r" || key === "\n") {
        const line = this.#line.join("");
        lines += `${line}\n`;
        shown += "\r\n";
        this.#remember(line);
        this.#line = [];
      } else if (key === "\u007f" || key === "\b") {
        if (this.#line.pop() !== undefined) shown += "\b \b";
      } else if (key === "\u0003") {
        shown += "^C\r\n";
        this.#line = [];
        isInterrupted = true;
      } else if (key === "\u0004") {
        isEnded ||= this.#line.length === 0;
      } else if (key === "\u0015") {
        replace([]);
      } else if (key === "\f") {
        shown += `\u001b[H\u001b[2J${this.#line.join("")}`;
      } else if (key === "\u001b[A" || key === "\u001bOA") {
        this.#at = Math.max(0, this.#at - 1);
        replace([...(this.#before[this.#at] ?? "")]);
      } else if (key === "\u001b[B" || key === "\u001bOB") {
        this.#at = Math.min(this.#before.length, this.#at + 1);
        replace([...(this.#before[this.#at] ?? "")]);
      } else if (openSequence.test(key)) {
        this.#rest = key;
      } else if (key >= " " && this.#line.length < lineCharsMax) {
        this.#line.push(key);
        shown += key;
      }
      if (isEnded) break;
    }
    return { shown, lines, isInterrupted, isEnded };
  }

  #remember(line: string): void {
    if (line.trim() !== "" && line !== this.#before.at(-1)) this.#before.push(line);
    if (this.#before.length > rememberedLinesMax) this.#before.shift();
    this.#at = this.#before.length;
  }
}

/** Characters, and sequences of keys that have no character. */
const keysOf = (text: string): readonly string[] => text.match(keyPattern) ?? [];
const escapeKey = "\\u001b";
const keyPattern = new RegExp(`${escapeKey}\\[[\\d;?]*[@-~]?|${escapeKey}O.?|\r\n|[\\s\\S]`, "gu");
const openSequence = new RegExp(`^${escapeKey}(\\[[\\d;?]*|O)?$`);

/** Lines of a program begin at the left. */
export const shownLines = (data: Uint8Array): Uint8Array =>
  data.includes(10) ? Buffer.from(Buffer.from(data).toString("latin1").replace(/\r?\n/g, "\r\n"), "latin1") : data;
