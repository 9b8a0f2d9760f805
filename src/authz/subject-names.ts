/** When the name in a binding matches the name of a user or group. */

/**
 * `folded`: case-insensitive, except for names with the reserved prefix `system:`, which match exactly, so that no
 * spelling of an ordinary name becomes a system name. `exact`: every name exactly.
 */
export type SubjectNames = "folded" | "exact";

/** Two names are the same when their keys are. A folded name never has the key of a reserved one. */
export function nameKey(name: string, names: SubjectNames): string {
  return names === "exact" || name.startsWith("system:") ? `=${name}` : `~${fold(name)}`;
}

const ascii = /^[\x20-\x7e]*$/;

/** Lower case, but for the two letters whose lower case would be the ASCII k and i: they are different letters. */
function fold(name: string): string {
  return ascii.test(name) ? name.toLowerCase() : name.replace(/[^\u212a\u0130]+/g, (part) => part.toLowerCase());
}
