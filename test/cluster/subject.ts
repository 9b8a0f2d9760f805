/** One promise of a cluster: work that runs while things break, and what must be true when they are whole again. */

export interface Subject {
  readonly name: string;
  /** Works until `signal` aborts. Throws when it sees something that must never happen. */
  run(signal: AbortSignal): Promise<void>;
  /** Called when everything is whole again. Throws what is wrong; returns one line about what was checked. */
  verify(): Promise<string>;
}
