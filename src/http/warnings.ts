/** The Warning header (RFC 7234): sentences that tell a client what it should change, while its request succeeds. */

/** All sentences of one answer together; what does not fit any more is cut, then left out. */
export const warningBytesMax = 4_096;
const cutChars = 256;

export function warningHeader(sentences: readonly string[]): readonly string[] {
  const headers: string[] = [];
  let bytes = 0;
  for (const sentence of sentences) {
    let header = format(sentence);
    if (bytes + header.length > warningBytesMax) header = format(sentence.slice(0, cutChars));
    if (bytes + header.length > warningBytesMax) break;
    bytes += header.length;
    headers.push(header);
  }
  return headers;
}

/** Header values are bytes: UTF-8 goes out as it is, controls (which would end the header) become spaces. */
function format(sentence: string): string {
  const quoted = sentence.replace(/\p{Cc}+/gu, " ").replace(/["\\]/g, (one) => `\\${one}`);
  return `299 - "${Buffer.from(quoted, "utf8").toString("latin1")}"`;
}
