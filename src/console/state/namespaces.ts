/** What a field for namespaces offers: the word after the last comma is what is being typed. */

/** How many are shown. */
const offersMax = 20;

const pieces = (typed: string): string[] => typed.split(",").map((one) => one.trim());

/** "": all of them. Names that begin with the word first; those that were chosen already are left out. */
export function offeredNamespaces(names: readonly string[], typed: string): readonly string[] {
  const chosen = pieces(typed);
  const word = (chosen.pop() ?? "").toLowerCase();
  const found = names.filter((name) => name.includes(word) && !chosen.includes(name));
  const sorted = found.sort((a, b) => Number(b.startsWith(word)) - Number(a.startsWith(word)) || a.localeCompare(b));
  return [...(word === "" && chosen.length === 0 ? [""] : []), ...sorted].slice(0, offersMax);
}

/** The text after a name was taken from the list. */
export const withNamespace = (typed: string, name: string): string =>
  name === "" ? "" : [...pieces(typed).slice(0, -1), name].join(", ");
