/** Reads and writes PEM, the text form of certificates, requests and keys. */

interface PemBlock {
  /** "CERTIFICATE", "CERTIFICATE REQUEST". */
  readonly label: string;
  /** Lines `Name: value` before the data. */
  readonly hasHeaders: boolean;
  readonly der: Buffer;
}

/** All well-formed blocks in order; text around them and broken blocks are skipped. */
export function parsePem(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  const begin = /(?:^|\n)-----BEGIN ([A-Z0-9][A-Z0-9 ]{0,63})-----[ \t\r]*\n/g;
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    const label = match[1]!;
    const start = begin.lastIndex;
    const end = text.indexOf(`-----END ${label}-----`, start);
    if (end < 0) continue;
    const block = readBody(label, text.slice(start, end));
    if (block === undefined) continue;
    blocks.push(block);
    begin.lastIndex = end;
  }
  return blocks;
}

/** Undefined: the data is not base64. */
function readBody(label: string, body: string): PemBlock | undefined {
  const lines = body.split("\n").map((line) => line.trim());
  let at = 0;
  while (lines[at]?.includes(":")) at++;
  const data = lines.slice(at).join("");
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return undefined;
  return { label, hasHeaders: at > 0, der: Buffer.from(data, "base64") };
}

/** One block, with lines of 64 characters and a line break at the end. */
export function writePem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
