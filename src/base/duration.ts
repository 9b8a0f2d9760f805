/** Durations as Go writes them ("1h2m3.5s", "300ms"), in nanoseconds. */

/** Longer texts are refused before they are parsed. */
export const durationCharsMax = 128;

const nanosMax = 2n ** 63n - 1n;

const units = new Map<string, bigint>([
  ["ns", 1n],
  ["us", 1_000n],
  ["\u00b5s", 1_000n],
  ["\u03bcs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

/** Nanoseconds of a duration; undefined: not a duration, or too large for 64 bits. "0" needs no unit. */
export function parseDuration(text: string): bigint | undefined {
  if (text.length > durationCharsMax) return undefined;
  const negative = text[0] === "-";
  const rest = negative || text[0] === "+" ? text.slice(1) : text;
  if (rest === "0") return 0n;
  if (rest === "") return undefined;
  let nanos = 0n;
  // Sticky, so every character is read once.
  const part = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
  while (part.lastIndex < rest.length) {
    const match = part.exec(rest);
    if (match === null) return undefined;
    const [, whole = "", fraction = "", unit = ""] = match;
    if (whole === "" && fraction === "") return undefined;
    // The expression only matches units of the table.
    const scale = units.get(unit) as bigint;
    nanos += BigInt(whole || "0") * scale + (BigInt(fraction || "0") * scale) / 10n ** BigInt(fraction.length);
  }
  if (nanos > nanosMax) return undefined;
  return negative ? -nanos : nanos;
}

/** "1h2m3.5s", "1.5ms", "0s". */
export function formatDuration(nanos: bigint): string {
  if (nanos === 0n) return "0s";
  const sign = nanos < 0n ? "-" : "";
  const total = nanos < 0n ? -nanos : nanos;
  if (total < 1_000n) return `${sign}${total}ns`;
  if (total < 1_000_000n) return `${sign}${decimal(total, 1_000n)}\u00b5s`;
  if (total < 1_000_000_000n) return `${sign}${decimal(total, 1_000_000n)}ms`;
  const minutes = total / 60_000_000_000n;
  const seconds = `${decimal(total % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** The canonical text of a duration; undefined: not a duration. */
export function canonicalDuration(text: string): string | undefined {
  const nanos = parseDuration(text);
  return nanos === undefined ? undefined : formatDuration(nanos);
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = String(value % unit)
    .padStart(String(unit).length - 1, "0")
    .replace(/0+$/, "");
  return fraction === "" ? String(value / unit) : `${value / unit}.${fraction}`;
}
