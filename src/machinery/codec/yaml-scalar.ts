/** How one text is printed in YAML: bare, quoted or as a block of lines. The choice is v1.21's, so that outputs can be compared. */

type ScalarStyle = "plain" | "single" | "double" | "literal";

/** Words and names that are certainly texts, which nearly all are. */
const surelyPlain = /^[A-Z_a-z/][\w./-]*$/;
const words = /^(?:[yY]|yes|Yes|YES|[nN]|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const nulls = /^(?:|~|null|Null|NULL)$/;
const outOfNumbers = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const integers = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const floats = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Numbers to the base 60 are read by old parsers only. */
const sexagesimals = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const hours = "(?:[01]?[0-9]|2[0-3]):[0-5]?[0-9]:[0-5]?[0-9](?:\\.[0-9]+)?";
const dates = new RegExp(
  `^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]${hours}(?:Z|[-+][0-9]{2}:[0-9]{2})| ${hours})?$`,
);

export function chooseStyle(text: string): ScalarStyle {
  if (surelyPlain.test(text) && !isOther(text)) return "plain";
  const traits = traitsOf(text);
  if (text.includes("\n")) return traits.asBlock ? "literal" : "double";
  if (isOther(text)) return "double";
  if (traits.bare) return "plain";
  return traits.inSingleQuotes ? "single" : "double";
}

/** Whether a reader of YAML 1.1 would read the bare text as something other than a text. */
function isOther(text: string): boolean {
  if (words.test(text) || nulls.test(text)) return true;
  const first = text.charCodeAt(0);
  const isDigit = first >= 0x30 && first <= 0x39;
  if (!isDigit && first !== 0x2b && first !== 0x2d && first !== 0x2e) return false; // + - .
  if (outOfNumbers.test(text)) return true;
  if (first === 0x2e) return isFloat(text);
  const ungrouped = text.replaceAll("_", "");
  return isInteger(ungrouped) || isFloat(ungrouped) || sexagesimals.test(text) || isDate(text);
}

/** A number that needs more than 64 bits is not an integer. */
function isInteger(text: string): boolean {
  if (!integers.test(text)) return false;
  return (
    text.length <= 18 || !/^[-+]?0[xXbBoO]/.test(text) || BigInt(text.replace(/^[-+]/, "").toLowerCase()) < 2n ** 64n
  );
}

/** A value too large for a number is a text. */
function isFloat(text: string): boolean {
  return floats.test(text) && Number.isFinite(Number(text));
}

function isDate(text: string): boolean {
  const [, year, month, day] = dates.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

interface Traits {
  readonly bare: boolean;
  readonly inSingleQuotes: boolean;
  readonly asBlock: boolean;
}

const leadingIndicators = /^(?:[#,[\]{}&*!|>'"%@`]|[-?:](?:[ \t]|$)|---|\.\.\.)/;
/** A colon at the end of a word, and a hash at the beginning of one. */
const innerIndicators = /:(?:[ \t]|$)|[ \t\n]#/;

/** Which styles can hold the text without changing it. */
function traitsOf(text: string): Traits {
  const isClean = !special.test(text) && !text.includes(" \n");
  const isFlat = isClean && !text.includes("\n ");
  const hasEdges = text.startsWith(" ") || text.endsWith(" ");
  return {
    bare: isFlat && !hasEdges && !leadingIndicators.test(text) && !innerIndicators.test(text),
    inSingleQuotes: isFlat,
    asBlock: isClean && !text.endsWith(" "),
  };
}

/** Controls, half characters, those beyond 16 bits, and characters that some readers take for a line break: they need escapes. */
const unprintable =
  "\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ufeff\\ufffe\\uffff\\p{Cs}\\u{10000}-\\u{10ffff}";
const special = new RegExp(`[${unprintable}]`, "u");
const escaped = new RegExp(`["\\\\\\n${unprintable}]`, "gu");

const named: ReadonlyMap<number, string> = new Map([
  [0x00, "0"],
  [0x07, "a"],
  [0x08, "b"],
  [0x09, "t"],
  [0x0a, "n"],
  [0x0b, "v"],
  [0x0c, "f"],
  [0x0d, "r"],
  [0x1b, "e"],
  [0x22, '"'],
  [0x5c, "\\"],
  [0x85, "N"],
  [0x2028, "L"],
  [0x2029, "P"],
]);

/** The text as printed between double quotes. */
export function escapeAll(text: string): string {
  return text.replace(escaped, (character) => {
    const code = character.codePointAt(0)!;
    const name = named.get(code);
    if (name !== undefined) return `\\${name}`;
    const hex = code.toString(16).toUpperCase();
    if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
    return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
  });
}
