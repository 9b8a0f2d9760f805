/** Untrusted text on a terminal: control characters are shown in a readable form and never executed. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** ESC becomes ^[, a carriage return \r, others \u0007; new lines and tabs stay. */
export function showControls(text: string): string {
  return text.replace(controls, (char) => {
    if (char === "\u001b") return "^[";
    if (char === "\r") return "\\r";
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

const colorCodes = { red: 31, yellow: 33, green: 32, dim: 2 } as const;

export function colored(text: string, color: keyof typeof colorCodes): string {
  return `\u001b[${colorCodes[color]}m${text}\u001b[0m`;
}
