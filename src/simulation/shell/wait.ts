/** What a simulated process waits for between two steps. */

export type Wait =
  /** One command was run, or so many bytes were read or written; the process goes on unless it was too fast. */
  | { readonly at: "step"; readonly bytes?: number }
  /** A time of the clock; infinite: only a signal ends the wait. */
  | { readonly at: "time"; readonly ms: number }
  /** Asked whenever something has happened in the pod; `orMs`: at this time the wait ends anyway. */
  | { readonly at: "until"; isReady(): boolean; readonly orMs?: number }
  /** Work of this machine, such as reading an archive. It takes no time of the clock. */
  | { readonly at: "call"; readonly done: Promise<unknown> };

/** The steps of a process, or of a part of it. */
export type Run<T = number> = Generator<Wait, T, void>;

export const step: Wait = { at: "step" };
