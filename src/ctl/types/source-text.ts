/** Names and texts of a definition as TypeScript. A definition may come from anyone, so none of its texts becomes code. */

/** The name of a member: `size`, `"a-b"`, and `["__proto__"]`, which means something else without its brackets. */
export function memberName(name: string): string {
  if (name === "__proto__") return `["__proto__"]`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** A JSON value. The separators of lines are escaped: they would end a line of a program. */
export function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** A documentation comment on lines of its own; "" for no text. */
export function comment(text: string, indent: string): string {
  const lines = text
    .replaceAll("*/", "*\\/")
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}
