/** Short names for templates and revisions, in the form in which v1.21 makes them. */

/** No vowels and no digits that look like letters, so that no words result. */
const letters = "bcdfghjklmnpqrstvwxz2456789";
const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** The hash of a pod template, as in the label pod-template-hash; `collisionCount` distinguishes templates with the same hash. */
export function templateHash(template: unknown, collisionCount?: number): string {
  const bytes = Buffer.from(canonicalJson(template));
  const suffix = Buffer.alloc(collisionCount === undefined ? 0 : 8);
  if (collisionCount !== undefined) suffix.writeUInt32LE(collisionCount);
  return encode(fnv32a(Buffer.concat([bytes, suffix])));
}

/** The hash of the data of a ControllerRevision. */
export function revisionHash(data: unknown, collisionCount?: number): string {
  // The bytes that v1.21 hashes have these characters escaped.
  const text = canonicalJson(data).replace(/[<>&\u2028\u2029]/g, escaped);
  return encode(fnv32(Buffer.from(`${text}${collisionCount ?? ""}`)));
}

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

export function fnv32a(bytes: Uint8Array): number {
  let hash = fnvOffset;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, fnvPrime) >>> 0;
  return hash;
}

function fnv32(bytes: Uint8Array): number {
  let hash = fnvOffset;
  for (const byte of bytes) hash = (Math.imul(hash, fnvPrime) ^ byte) >>> 0;
  return hash;
}

/** The decimal digits of the hash, each as one of `letters`. */
function encode(hash: number): string {
  return Array.from(String(hash), (digit) => letters[digit.charCodeAt(0) % letters.length]).join("");
}

/** JSON with sorted keys and without what is absent: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
