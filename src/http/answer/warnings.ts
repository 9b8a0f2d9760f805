/** The Warning header (RFC 7234): sentences that tell a client what to change although its request succeeded. */

/** The limit for all sentences of one answer. Above it each is cut and the rest are dropped, as in v1.21. */
export const warningBytesMax = 4_096;
const cutChars = 256;

export function warningHeader(sentences: readonly string[]): readonly string[] {
  const told = sentences.filter(isPlain);
  const bytes = told.reduce((sum, sentence) => sum + Buffer.byteLength(sentence), 0);
  if (bytes <= warningBytesMax) return told.map(format);
  const headers: string[] = [];
  let written = 0;
  for (const sentence of told) {
    if (written >= warningBytesMax) break;
    const short = cut(sentence);
    written += Buffer.byteLength(short);
    headers.push(format(short));
  }
  return headers;
}

/** Empty sentences, and those with a control character, which could end the header, are not sent. */
const isPlain = (sentence: string) => sentence !== "" && sentence.isWellFormed() && !/\p{Cc}/u.test(sentence);

const cut = (sentence: string) => (sentence.length <= cutChars ? sentence : [...sentence].slice(0, cutChars).join(""));

/** Header values are bytes: UTF-8 is sent unchanged. */
function format(sentence: string): string {
  const quoted = sentence.replace(/["\\]/g, (one) => `\\${one}`);
  return `299 - "${Buffer.from(quoted, "utf8").toString("latin1")}"`;
}
