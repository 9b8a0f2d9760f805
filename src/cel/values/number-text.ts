/** Numbers as texts, as Go prints them. */

/** The shortest text that reads back as the same number, with an exponent below 1e-4 and from 1e6. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "-Inf" : "+Inf";
  if (Object.is(value, -0)) return "-0";
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-4 || size >= 1e6) ? exponential(value.toExponential()) : String(value);
}

/** With a number of digits after the point, never an exponent; a tie goes to the even digit. */
export function fixedText(value: number, digits: number): string {
  if (!Number.isFinite(value)) return doubleText(value);
  // toFixed prints an exponent from 1e21 on, has at most 100 digits, and rounds ties away from zero.
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}${digits > 0 ? `.${"0".repeat(digits)}` : ""}`;
  const exact = value.toFixed(fixedDigitsMax);
  if (digits >= fixedDigitsMax) return exact.padEnd(exact.length + digits - fixedDigitsMax, "0");
  const cut = exact.length - fixedDigitsMax + digits;
  const isTie = /^50*$/.test(exact.slice(cut));
  const kept = exact.slice(0, digits === 0 ? cut - 1 : cut);
  return isTie && /[02468]$/.test(kept) ? kept : value.toFixed(digits);
}

const fixedDigitsMax = 100;

/** As `fixedText`, with a comma between thousands. */
export function groupedText(value: number, digits: number): string {
  if (!Number.isFinite(value)) return symbolText(value);
  const [whole, fraction] = fixedText(value, digits).split(".");
  const grouped = whole!.replace(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** "1.200000×10⁰³". */
export function scientificText(value: number): string {
  if (!Number.isFinite(value)) return symbolText(value);
  const [mantissa, exponent] = exponential(value.toExponential(6)).split("e");
  const raised = exponent!
    .replace("+", "")
    .replace(/./g, (digit) => (digit === "-" ? "⁻" : superscripts[Number(digit)]!));
  return `${mantissa}×10${raised}`;
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function symbolText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value < 0 ? "-∞" : "∞";
}

/** "1.5e-7" as "1.5e-07": exponents have two digits at least. */
function exponential(text: string): string {
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}
