/** Backslashes in the arguments of `echo -e` and `printf`. */

const plain: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\x1b",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

/** `isCut`: `\c` ends the output. */
export function unescaped(text: string): { readonly text: string; readonly isCut: boolean } {
  let isCut = false;
  const cut = text.indexOf("\\c");
  const kept = cut >= 0 && !text.slice(0, cut).endsWith("\\") ? text.slice(0, cut) : text;
  isCut = kept !== text;
  const shown = kept.replace(/\\(x[0-9a-fA-F]{1,2}|0[0-7]{0,3}|[1-7][0-7]{0,2}|.)/gs, (whole, code: string) => {
    if (/^x[0-9a-fA-F]/.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 255);
    return plain[code] ?? whole;
  });
  return { text: shown, isCut };
}
