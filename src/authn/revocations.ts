/** Client certificates that were revoked before they expire: a list of serial numbers that can be replaced at any time. */

interface Revocations {
  /** For ClientCertificateOptions.isRevoked. */
  isRevoked(serial: string): boolean;
  /** Replaces the list; throws an Error that names the line, and then keeps the old list. */
  replace(text: string): void;
}

/** One serial per line in hexadecimal, with or without colons; what follows `#` is a comment. */
export function createRevocations(text = ""): Revocations {
  let serials = parse(text);
  return {
    isRevoked: (serial) => serials.has(serial),
    replace(next) {
      serials = parse(next);
    },
  };
}

function parse(text: string): ReadonlySet<string> {
  const serials = new Set<string>();
  text.split("\n").forEach((line, index) => {
    const serial = line.split("#", 1)[0]!.trim().replaceAll(":", "").toUpperCase();
    if (serial === "") return;
    if (!/^[0-9A-F]{1,64}$/.test(serial)) throw new Error(`line ${index + 1} is not a serial number in hexadecimal`);
    serials.add(serial.replace(/^0+(?=.)/, ""));
  });
  return serials;
}
