import { describe, expect, test } from "vitest";
import { sequenceCharactersMax, TerminalReader } from "./terminal-input.ts";
import { bytesOfKey, pastedBytes } from "./terminal-keys.ts";
import { scrolledRowsMax, TerminalScreen } from "./terminal-screen.ts";
import { plainStyle, styledBy } from "./terminal-style.ts";

function shown(written: string, { columns = 10, rows = 4 } = {}): { text: string[]; screen: TerminalScreen } {
  const screen = new TerminalScreen(columns, rows);
  // In single characters: what is written may end anywhere.
  const reader = new TerminalReader(screen);
  for (const part of written.split("")) reader.write(part);
  return { text: textOf(screen), screen };
}

const textOf = ({ lines }: TerminalScreen): string[] =>
  lines.map((line) =>
    line
      .map(({ text }) => text)
      .join("")
      .trimEnd(),
  );

describe("the screen of a terminal", () => {
  test.each([
    ["lines", "a\r\nb", ["a", "b", "", ""]],
    ["a full row wraps with the next character", "0123456789ab", ["0123456789", "ab", "", ""]],
    ["a full row that ends does not wrap twice", "0123456789\r\nab", ["0123456789", "ab", "", ""]],
    ["backspace and overwriting", "abc\b\bX", ["aXc", "", "", ""]],
    ["tabs", "a\tb", ["a       b", "", "", ""]],
    ["the cursor by row and column", "\x1b[3;2Hx", ["", "", " x", ""]],
    ["erasing the rest of a row", "abcdef\x1b[3G\x1b[K", ["ab", "", "", ""]],
    ["erasing the screen", "a\r\nb\x1b[2J\x1b[Hc", ["c", "", "", ""]],
    ["inserted and deleted characters", "abcdef\x1b[1G\x1b[2P\x1b[1@", [" cdef", "", "", ""]],
    ["inserted rows", "a\r\nb\r\nc\x1b[2;1H\x1b[L", ["a", "", "b", "c"]],
    ["deleted rows", "a\r\nb\r\nc\x1b[1;1H\x1b[2M", ["c", "", "", ""]],
    ["a scroll region", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\nx", ["1", "3", "x", "4"]],
    ["reverse line feeds", "1\r\n2\x1b[H\x1bMx", ["x", "1", "2", ""]],
    ["the second screen leaves the first as it was", "ab\x1b[?1049h\x1b[2Jvim\x1b[?1049lc", ["abc", "", "", ""]],
    ["titles are not text", "a\x1b]0;title\x07b", ["ab", "", "", ""]],
    ["unknown sequences are not text", "a\x1b[5;7zb\x1b[>4;2mc\x1bP1;2|x\x1b\\d", ["abcd", "", "", ""]],
    ["a character set is not text", "\x1b(Ba", ["a", "", "", ""]],
    ["wide characters take two columns", "漢a", ["漢a", "", "", ""]],
    ["characters that turn the direction are left out", "a\u202eb\u2066c", ["abc", "", "", ""]],
  ])("%s", (_why, written, expected) => {
    expect(shown(written).text).toEqual(expected);
  });

  test("keeps what leaves at the top, up to a limit", () => {
    const { screen, text } = shown("1\r\n2\r\n3\r\n4\r\n5");
    expect(text).toEqual(["2", "3", "4", "5"]);
    expect(screen.scrolled.map((line) => line[0]?.text)).toEqual(["1"]);
    new TerminalReader(screen).write("\r\n".repeat(scrolledRowsMax + 50));
    expect(screen.scrolled.length).toBe(scrolledRowsMax);
  });

  test("keeps the text at the cursor when its size changes", () => {
    const { screen } = shown("1\r\n2\r\n3\r\n4");
    screen.resize(10, 2);
    expect(textOf(screen)).toEqual(["3", "4"]);
    screen.resize(10, 5);
    expect(textOf(screen)).toEqual(["1", "2", "3", "4", ""]);
    expect(screen.cursor.row).toBe(3);
  });

  test("is not larger than it says, whatever is asked", () => {
    const { screen } = shown("\x1b[999999999;999999999Hx\x1b[999999999L\x1b[999999999@\x1b[999999999S\x1b[5;2r");
    expect(screen.lines.length).toBe(4);
    expect(Math.max(...screen.lines.map((line) => line.length))).toBeLessThanOrEqual(10);
  });

  test("does not keep a sequence that has no end", () => {
    const screen = new TerminalScreen(10, 2);
    const reader = new TerminalReader(screen);
    reader.write(`\x1b]0;${"x".repeat(sequenceCharactersMax)}`);
    reader.write("seen");
    expect(textOf(screen)[0]).toBe("seen");
  });

  test("answers where the cursor is", () => {
    expect(shown("ab\x1b[6n").screen.answers).toEqual(["\x1b[1;3R"]);
  });

  test("colours and attributes", () => {
    const { screen } = shown("\x1b[1;31ma\x1b[0mb\x1b[38;5;196mc\x1b[48;2;1;2;3md");
    const styles = (screen.lines[0] ?? []).map(({ style }) => style);
    expect(styles[0]).toEqual({ ...plainStyle, isBold: true, fore: 1 });
    expect(styles[1]).toEqual(plainStyle);
    expect(styles[2]).toEqual({ ...plainStyle, fore: "#ff0000" });
    expect(styles[3]).toEqual({ ...plainStyle, fore: "#ff0000", back: "#010203" });
    expect(styledBy(plainStyle, [97, 244, 38])).toEqual({ ...plainStyle, fore: 15 });
  });
});

describe("keys of a terminal", () => {
  const none = { ctrlKey: false, altKey: false, metaKey: false, shiftKey: false };
  test.each([
    [{ key: "c", ctrlKey: true }, "\x03"],
    [{ key: "Enter" }, "\r"],
    [{ key: "ArrowUp" }, "\x1b[A"],
    [{ key: "b", altKey: true }, "\x1bb"],
    // The browser's: typed characters arrive as input, Shift Tab leaves, Ctrl Shift C copies.
    [{ key: "a" }, undefined],
    [{ key: "Tab", shiftKey: true }, undefined],
    [{ key: "C", ctrlKey: true, shiftKey: true }, undefined],
  ])("%j", (key, sent) => {
    expect(bytesOfKey({ ...none, ...key }, false)).toBe(sent);
  });

  test("arrow keys of full-screen programs, and pasted text that cannot end its own marks", () => {
    expect(bytesOfKey({ ...none, key: "ArrowUp" }, true)).toBe("\x1bOA");
    expect(pastedBytes("a\nb\x1b[201~c", true)).toBe("\x1b[200~a\rbc\x1b[201~");
  });
});
