/** Lines of a description: indented by level, with tabs between a title and its value. */

import { entries } from "../json.ts";
import { tabbed } from "../output/tabbed.ts";

/** Where the alignment of columns restarts. */
const cut = "\u0000";

export class DescriptionWriter {
  text = "";

  /** Aligns the following lines separately. */
  flush(): void {
    this.text += cut;
  }

  /** The lines with their columns aligned. */
  render(): string {
    return this.text
      .split(cut)
      .map((part) => tabbed(part))
      .join("");
  }

  line(level: number, content: string): void {
    this.text += `${"  ".repeat(level)}${content}\n`;
  }

  /** The further lines of a value are indented below its first. */
  field(level: number, title: string, value: string): void {
    this.line(level, `${title}:\t${value}`);
  }

  /** `Labels:  a=b` with one pair a line; `<none>` if there are none. */
  pairs(level: number, title: string, value: unknown, join = "="): void {
    // The last-applied annotation is long, and repeats the object.
    const all = entries(value).filter(([key]) => join === "=" || !key.endsWith("/last-applied-configuration"));
    if (all.length === 0) {
      this.field(level, title, "<none>");
      return;
    }
    const indent = "  ".repeat(level);
    all.forEach(([key, text], at) => {
      const start = at === 0 ? `${indent}${title}:` : "";
      this.text += `${start}\t${pair(key, text, join)}\n`;
    });
  }
}

/** Long annotations are printed below their key. */
function pair(key: string, value: string, join: string): string {
  if (join === "=") return `${key}=${value}`;
  const trimmed = value.replace(/\n$/, "");
  if (!trimmed.includes("\n") && trimmed.length + key.length + 2 <= maxAnnotationChars) return `${key}: ${trimmed}`;
  const lines = trimmed
    .split("\n")
    .map((line) => (line.length > maxAnnotationChars ? `${line.slice(0, maxAnnotationChars - 3)}...` : line));
  return `${key}:\n${lines.map((line) => `\t  ${line}`).join("\n")}`;
}

const maxAnnotationChars = 140;
