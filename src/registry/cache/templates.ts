/** Objects that others are like: what those have in common with one of these is held once. */

/** The size of a template, and of an object that is compared with one. A comparison takes a nanosecond for each byte. */
export const templateBytesMax = 16 * 1024;
/** How many templates are kept to be found again. A newer one takes the position of an older one. */
export const templatesMax = 256;
/** Objects whose lengths are in the same range of so many bytes have the same template: where fewer lengths differ, there are fewer steps. */
const lengthRange = 8;

/** The bytes of an object, and the sets in them. */
export class Template {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Where the sets begin, ascending. */
  readonly begins: readonly number[];
  readonly sets: readonly Buffer[];
  /** The part that the step of each number copied last: objects of one template mostly differ in the same places. */
  readonly #parts: (Uint8Array | undefined)[] = [];

  constructor(whole: Uint8Array, begins: readonly number[], sets: readonly Buffer[]) {
    this.bytes = new Uint8Array(whole); // a copy
    this.view = new DataView(this.bytes.buffer);
    this.begins = begins;
    this.sets = sets;
  }

  /** `length` bytes from `from` on, for the step with this number. A new view takes longer than to copy what it shows. */
  part(step: number, from: number, length: number): Uint8Array {
    const last = this.#parts[step];
    if (last !== undefined && last.byteOffset === from && last.length === length) return last;
    const part = new Uint8Array(this.bytes.buffer, from, length);
    this.#parts[step] = part;
    return part;
  }
}

export class Templates {
  readonly #known: (Template | undefined)[] = new Array(templatesMax).fill(undefined);

  /** The template of an object of this length that has these sets, which begin there. */
  find(length: number, begins: readonly number[], sets: readonly Buffer[]): Template | undefined {
    const known = this.#known[positionOf(length, begins, sets)];
    return known !== undefined && isSame(known.sets, sets) ? known : undefined;
  }

  add(template: Template): void {
    this.#known[positionOf(template.bytes.length, template.begins, template.sets)] = template;
  }
}

function positionOf(length: number, begins: readonly number[], sets: readonly Buffer[]): number {
  let sum = Math.floor(length / lengthRange) + (begins[0] ?? 0) * 31;
  for (let i = 0; i < sets.length; i++) sum = (sum * 31 + (sets[i] as Buffer).length) % 65_536; // `i` is within bounds
  return sum % templatesMax;
}

function isSame(some: readonly Buffer[], others: readonly Buffer[]): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false;
  return true;
}
