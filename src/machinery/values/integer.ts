/** Whole numbers of 64 bits, as texts that are not JSON have them: queries and annotations. */

/** Undefined: it is none, or does not fit. A sign and leading zeros are fine. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]{1,64}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
