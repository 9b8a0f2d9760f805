/** What the base64 of a secret stands for. */

interface DecodedValue {
  /** Undefined: the bytes are not text. */
  readonly value: string | undefined;
  readonly bytes: number;
}

export function decodedValue(base64: string): DecodedValue {
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return { value: undefined, bytes: 0 };
  }
  try {
    return { value: new TextDecoder("utf-8", { fatal: true }).decode(bytes), bytes: bytes.length };
  } catch {
    return { value: undefined, bytes: bytes.length };
  }
}
