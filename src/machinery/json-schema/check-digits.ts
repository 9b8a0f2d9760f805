/** Numbers whose last digit is a checksum of the others. */

/** An ISBN of ten or thirteen digits; blanks and dashes do not count. */
export function isIsbn(text: string, length: 10 | 13): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (length === 10) {
    if (!/^[0-9]{9}[0-9X]$/.test(digits)) return false;
    return sum(digits, (digit, index) => (index + 1) * digit) % 11 === 0;
  }
  return /^[0-9]{13}$/.test(digits) && sum(digits, (digit, index) => (index % 2 === 0 ? 1 : 3) * digit) % 10 === 0;
}

/** The prefixes of card issuers, and how many digits follow. */
const card =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;

/** The number of a payment card; only digits count. */
export function isCardNumber(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!card.test(digits)) return false;
  const parity = digits.length % 2;
  // Every second digit from the end is doubled, and the digits of the result are added.
  return sum(digits, (digit, index) => (index % 2 === parity ? ((2 * digit - 1) % 9) + 1 : digit)) % 10 === 0;
}

function sum(digits: string, weigh: (digit: number, index: number) => number): number {
  return [...digits].reduce((total, digit, index) => {
    const value = digit === "X" ? 10 : Number(digit);
    return total + (value === 0 ? 0 : weigh(value, index));
  }, 0);
}
