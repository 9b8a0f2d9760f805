/** Room for work that needs memory: what fits begins at once, the rest waits in line. */

export interface Room {
  /**
   * Resolves when there is room for so much, in the order of asking; undefined: there is room now. What is larger than the whole
   * room gets it to itself.
   */
  enter(size: number): Promise<void> | undefined;
  /** Gives back what `enter` was asked for. */
  leave(size: number): void;
}

export function createRoom(sizeMax: number): Room {
  let used = 0;
  const waiting: { readonly size: number; readonly begin: () => void }[] = [];
  const fits = (size: number) => used === 0 || used + size <= sizeMax;
  return {
    enter(size) {
      if (waiting.length === 0 && fits(size)) {
        used += size;
        return undefined;
      }
      return new Promise((resolve) => waiting.push({ size, begin: resolve }));
    },
    leave(size) {
      used -= size;
      for (let first = waiting[0]; first !== undefined && fits(first.size); first = waiting[0]) {
        waiting.shift();
        used += first.size;
        first.begin();
      }
    },
  };
}
