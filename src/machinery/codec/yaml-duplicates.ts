/** Finds keys that a mapping of a YAML text has twice; decoding keeps the last of them. */

import { yamlEngine } from "./yaml-engine.ts";

/** More than this are not looked for. */
export const yamlDuplicatesMax = 100;

/** A mapping or sequence that is not closed yet. `keys` undefined: a sequence. */
interface Open {
  readonly keys: Set<string> | undefined;
  /** Whether the next part of a mapping is a key. */
  isKey: boolean;
}

/** In the words of the reference: `line 7: key "k" already set in map`. The text has been decoded, so it is valid and within the limits. */
export function yamlDuplicates(text: string): readonly string[] {
  const { parseEvents, EVENT_ID } = yamlEngine();
  const problems: string[] = [];
  const open: Open[] = [];
  const lines = new Lines(text);
  for (const event of parseEvents(text, {})) {
    if (problems.length >= yamlDuplicatesMax) break;
    const within = open.at(-1);
    const isKey = within?.keys !== undefined && within.isKey;
    if (event.type === EVENT_ID.DOCUMENT) {
      // Only the first document counts.
      if (open.length > 0) break;
      open.push({ keys: undefined, isKey: false });
      continue;
    }
    if (event.type === EVENT_ID.POP) {
      open.pop();
      if (open.length === 0) break;
      continue;
    }
    if (event.type === EVENT_ID.SCALAR && isKey) {
      const key = text.slice(event.valueStart, event.valueEnd);
      if (within.keys.has(key))
        problems.push(`line ${lines.of(event.valueStart)}: key ${JSON.stringify(key)} already set in map`);
      // Several merges are allowed.
      if (key !== "<<") within.keys.add(key);
    }
    if (within !== undefined) within.isKey = !within.isKey;
    if (event.type === EVENT_ID.MAPPING) open.push({ keys: new Set(), isKey: true });
    if (event.type === EVENT_ID.SEQUENCE) open.push({ keys: undefined, isKey: false });
  }
  return problems;
}

/** Numbers of lines, for positions that grow. */
class Lines {
  readonly #text: string;
  #at = 0;
  #line = 1;
  constructor(text: string) {
    this.#text = text;
  }
  of(position: number): number {
    for (; this.#at < position; this.#at++) if (this.#text[this.#at] === "\n") this.#line++;
    return this.#line;
  }
}
