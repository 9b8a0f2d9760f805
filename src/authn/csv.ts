/** Reads comma-separated values as the static token file uses them: quoted fields, doubled quotes, any number of columns. */

/** Throws an Error that names the line. Empty lines are skipped; spaces belong to the value. */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const startsRecord = record.length === 0;
    if (startsRecord && isLineEnd(text, at)) {
      at += lineEndLength(text, at);
      line++;
      continue;
    }
    let value: string;
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1);
      if (end < 0) throw new Error(`line ${line}: a quoted value does not end`);
      value = text.slice(at + 1, end).replaceAll('""', '"');
      line += value.split("\n").length - 1;
      at = end + 1;
      if (at < text.length && text[at] !== "," && !isLineEnd(text, at)) {
        throw new Error(`line ${line}: something follows a closing quote`);
      }
    } else {
      const start = at;
      while (at < text.length && text[at] !== "," && !isLineEnd(text, at)) at++;
      value = text.slice(start, at);
      if (value.includes('"')) throw new Error(`line ${line}: a quote inside a value that is not quoted`);
    }
    record.push(value);
    if (text[at] === ",") {
      at++;
      if (at < text.length && !isLineEnd(text, at)) continue;
      record.push("");
    }
    at += lineEndLength(text, at);
    line++;
    records.push(record);
    record = [];
  }
  return records;
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}

function isLineEnd(text: string, at: number): boolean {
  return text[at] === "\n" || (text[at] === "\r" && text[at + 1] === "\n");
}

function lineEndLength(text: string, at: number): number {
  if (text[at] === "\n") return 1;
  return text[at] === "\r" && text[at + 1] === "\n" ? 2 : 0;
}
