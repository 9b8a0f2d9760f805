/** What keys send to a program in a terminal. */

interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

/** After `ESC [` or, for programs that ask for it, `ESC O`. */
const cursorKeys: Readonly<Record<string, string>> = {
  ArrowUp: "A",
  ArrowDown: "B",
  ArrowRight: "C",
  ArrowLeft: "D",
  Home: "H",
  End: "F",
};

const otherKeys: Readonly<Record<string, string>> = {
  Enter: "\r",
  Backspace: "\x7f",
  Tab: "\t",
  Escape: "\x1b",
  Delete: "\x1b[3~",
  Insert: "\x1b[2~",
  PageUp: "\x1b[5~",
  PageDown: "\x1b[6~",
  F1: "\x1bOP",
  F2: "\x1bOQ",
  F3: "\x1bOR",
  F4: "\x1bOS",
  F5: "\x1b[15~",
  F6: "\x1b[17~",
  F7: "\x1b[18~",
  F8: "\x1b[19~",
  F9: "\x1b[20~",
  F10: "\x1b[21~",
};

/** Undefined: the key is for the browser. Shift Tab always is, so that the keyboard can leave the terminal. */
export function bytesOfKey(event: PressedKey, hasApplicationKeys: boolean): string | undefined {
  const { key, ctrlKey, altKey, metaKey, shiftKey } = event;
  if (metaKey || (key === "Tab" && shiftKey)) return undefined;
  // The browser copies and pastes.
  if (ctrlKey && shiftKey) return undefined;
  const prefix = altKey ? "\x1b" : "";
  const cursor = cursorKeys[key];
  if (cursor !== undefined && ctrlKey) return `\x1b[1;5${cursor}`;
  if (cursor !== undefined) return `${hasApplicationKeys ? "\x1bO" : "\x1b["}${cursor}`;
  if (otherKeys[key] !== undefined) return prefix + otherKeys[key];
  if (key.length !== 1) return undefined;
  if (!ctrlKey) return altKey && key.charCodeAt(0) < 0x80 ? prefix + key : undefined;
  const code = key.toUpperCase().charCodeAt(0);
  if (code === 0x20) return "\0";
  return code >= 0x40 && code <= 0x5f ? prefix + String.fromCharCode(code - 0x40) : undefined;
}

/** Text that was pasted or composed. A marked end inside it would let it pretend to be typed. */
export function pastedBytes(text: string, isMarked: boolean): string {
  const plain = text.replaceAll("\r\n", "\r").replaceAll("\n", "\r");
  return isMarked ? `\x1b[200~${plain.replaceAll("\x1b[201~", "")}\x1b[201~` : plain;
}
