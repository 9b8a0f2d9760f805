/** Writes that arrive in one turn of the event loop are worked on together. */

export interface Batching {
  /** From now on a write is alone if no more than one of these is in use: it then waits for no other. Before, none is. */
  follow(writers: { readonly used: number }): void;
  /** Waits until everything that came in with this turn has been read. Undefined: the caller is alone, and need not wait. */
  gather(): Promise<void> | undefined;
}
