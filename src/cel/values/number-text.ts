/** Numbers as texts, as Go prints them. */

/** The shortest text that reads back as the same number, with an exponent below 1e-4 and from 1e6. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "-Inf" : "+Inf";
  if (Object.is(value, -0)) return "-0";
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-4 || size >= 1e6) ? exponential(value.toExponential()) : String(value);
}

/** Never with an exponent: JavaScript prints one from 1e21 and below 1e-6. */
export function plainText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "-Infinity" : "Infinity";
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return Object.is(value, -0) ? "-0" : text;
  const [, sign, whole, fraction = "", exponent] = match;
  const digits = `${whole}${fraction}`;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0")}`;
}

/** "1.5e-7" as "1.5e-07": exponents have two digits at least. */
export function exponential(text: string): string {
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}
