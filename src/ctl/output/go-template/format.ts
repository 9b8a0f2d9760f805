/** Prints values as Go prints them: `map[a:1 b:[x y]]`, and the verbs of printf. */

import { isJson } from "../../json.ts";

/** As %v. `isTop`: a value alone in an action, where an absent one prints as `<no value>`. */
export function printValue(value: unknown, isTop = false): string {
  if (typeof value === "symbol") return "<no value>";
  if (value === null || value === undefined) return isTop ? "<no value>" : "<nil>";
  if (typeof value === "string") return value;
  if (typeof value === "number" || value instanceof Number) return printFloat(Number(value));
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => printValue(item)).join(" ")}]`;
  if (isJson(value))
    return `map[${Object.keys(value)
      .sort()
      .map((key) => `${key}:${printValue(value[key])}`)
      .join(" ")}]`;
  return String(value);
}

/** As %#v: the value in Go syntax. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (typeof value === "string") return JSON.stringify(value);
  if (!isJson(value)) return printValue(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`);
  return `map[string]interface {}{${members.join(", ")}}`;
}

/** Integers in full; others in the shortest form, with an exponent below 1e-4 and from 1e21 on, as Go prints them. */
function printFloat(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value);
  const power = Math.floor(Math.log10(Math.abs(value)));
  return power < -4 || Math.abs(value) >= 1e21 ? exponent(value) : String(value);
}

function exponent(value: number): string {
  return value.toExponential().replace(/e([-+])(\d)$/, "e$10$2");
}

/** printf with the verbs that objects need: %v %s %d %q %t %f %g %e %x %c %%, with width and precision. */
export function sprintf(format: string, args: readonly unknown[]): string {
  let at = 0;
  const text = format.replaceAll(
    /%([-+# 0]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])/g,
    (_, flags: string, width: string | undefined, precision: string | undefined, verb: string) => {
      if (verb === "%") return "%";
      if (at >= args.length) return `%!${verb}(MISSING)`;
      const value = args[at++];
      return pad(
        one(verb, value, precision === undefined ? undefined : Number(precision), flags),
        flags,
        Number(width ?? 0),
      );
    },
  );
  const extra = args.slice(at).map((value) => `${typeName(value)}=${printValue(value)}`);
  return extra.length === 0 ? text : `${text}%!(EXTRA ${extra.join(", ")})`;
}

function one(verb: string, value: unknown, precision: number | undefined, flags: string): string {
  const isNumber = typeof value === "number" || typeof value === "bigint" || value instanceof Number;
  const wrong = () => `%!${verb}(${typeName(value)}=${printValue(value)})`;
  switch (verb) {
    case "v":
      return printValue(value);
    case "s":
      if (isNumber || typeof value === "boolean") return wrong();
      return precision === undefined ? printValue(value) : [...printValue(value)].slice(0, precision).join("");
    case "d":
      if (!isNumber || !Number.isInteger(Number(value))) return wrong();
      return flags.includes("+") && Number(value) >= 0 ? `+${value}` : String(value);
    case "q":
      return typeof value === "string" ? JSON.stringify(value) : wrong();
    case "t":
      return typeof value === "boolean" ? String(value) : wrong();
    case "f":
    case "F":
      return isNumber ? Number(value).toFixed(precision ?? 6) : wrong();
    case "e":
      return isNumber
        ? Number(value)
            .toExponential(precision ?? 6)
            .replace(/e([-+])(\d)$/, "e$10$2")
        : wrong();
    case "g":
      return isNumber ? printFloat(Number(value)) : wrong();
    case "x":
      return typeof value === "string"
        ? Buffer.from(value).toString("hex")
        : isNumber
          ? (typeof value === "bigint" ? value : Number(value)).toString(16)
          : wrong();
    case "c":
      return isNumber ? String.fromCodePoint(Number(value)) : wrong();
    case "T":
      return typeName(value);
    default:
      return wrong();
  }
}

function typeName(value: unknown): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint" || Number.isInteger(value)) return "int64";
  if (typeof value === "number") return "float64";
  if (Array.isArray(value)) return "[]interface {}";
  return isJson(value) ? "map[string]interface {}" : "<nil>";
}

function pad(text: string, flags: string, width: number): string {
  if (flags.includes("-")) return text.padEnd(width);
  return text.padStart(width, flags.includes("0") ? "0" : " ");
}
