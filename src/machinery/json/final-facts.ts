/** What is known about large final values (`final-values.ts`). */

export interface FinalFacts {
  /** Items of all its lists and keys of all its maps. */
  readonly members: number;
  /** The value as JSON. */
  readonly text: Buffer;
}

const facts = new WeakMap<object, FinalFacts>();
let hasAny = false;

/** Undefined: the value is not a large final value that was remembered. */
export function finalFacts(value: object): FinalFacts | undefined {
  return hasAny ? facts.get(value) : undefined;
}

export function setFinalFacts(value: object, known: FinalFacts): void {
  facts.set(value, known);
  hasAny = true;
}

/** Whether there has been any: most servers have none, and need not look for them. */
export const hasFinals = (): boolean => hasAny;

/** Only one of equal values is cached, so two of them differ. */
export const areFinals = (a: object, b: object): boolean =>
  hasAny && facts.get(a) !== undefined && facts.get(b) !== undefined;
