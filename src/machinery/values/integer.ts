/** Whole numbers of 64 bits in texts that are not JSON: queries and annotations. */

/** Undefined: not a whole number, or it does not fit. A sign and leading zeros are allowed. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]{1,64}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
