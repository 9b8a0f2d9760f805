/** `printf`: prints words in a format. */

import type { ShellProgram } from "../host.ts";
import { textCharsMax, wordsMax } from "../limits.ts";
import { ShellError } from "../shell.ts";
import { prints } from "./answers.ts";
import { unescaped } from "./escapes.ts";

/** Fields of `printf` are not wider. */
export const widthMax = 1_000;

/** `printf FORMAT [WORD…]`, with %s %d %i %u %x %X %o %c %b and %%; the format is repeated as long as words are left. */
export const printf: ShellProgram = {
  name: "printf",
  run(call) {
    const [format = "", ...args] = call.args[0] === "--" ? call.args.slice(1) : call.args;
    let left: readonly string[] = args;
    let text = "";
    for (let round = 0; round < wordsMax; round++) {
      const before = left.length;
      text += formatted(format, () => {
        const [next, ...others] = left;
        left = others;
        return next;
      });
      if (text.length > textCharsMax) throw new ShellError("the output is too long");
      if (left.length === 0 || left.length === before) break;
    }
    return prints(call, text);
  },
};

function formatted(format: string, next: () => string | undefined): string {
  return unescaped(format).text.replace(
    /%(?:%|([-0+ #]*)(\d*)(?:\.(\d+))?([sdiuxXocbq]))/g,
    (
      whole,
      flags: string | undefined,
      width: string | undefined,
      precision: string | undefined,
      letter: string | undefined,
    ) => {
      if (letter === undefined) return whole === "%%" ? "%" : whole;
      const given = next() ?? "";
      const shown = shownAs(letter, given, precision === undefined ? undefined : Number(precision));
      const size = Math.min(Number(width || 0), widthMax);
      if (flags?.includes("-")) return shown.padEnd(size);
      return shown.padStart(size, flags?.includes("0") && "diuxXo".includes(letter) ? "0" : " ");
    },
  );
}

function shownAs(letter: string, given: string, precision: number | undefined): string {
  const number = Math.trunc(Number(given)) || 0;
  switch (letter) {
    case "s":
      return precision === undefined ? given : given.slice(0, precision);
    case "q":
      return given;
    case "b":
      return unescaped(given).text;
    case "c":
      return given.slice(0, 1);
    case "x":
      return number.toString(16);
    case "X":
      return number.toString(16).toUpperCase();
    case "o":
      return number.toString(8);
    default:
      return String(number);
  }
}
