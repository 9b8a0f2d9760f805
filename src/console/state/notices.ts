/** Warnings of the server, until the user has dismissed them. */

export interface Notices {
  add(message: string): void;
  /** Calls back with all of them whenever they change, until the returned function is called. */
  listen(listener: (messages: readonly string[]) => void): () => void;
  clear(): void;
}

/** Older ones make way. */
const noticesMax = 5;

export function createNotices(): Notices {
  let messages: readonly string[] = [];
  const listeners = new Set<(messages: readonly string[]) => void>();
  const change = (next: readonly string[]) => {
    messages = next;
    for (const listener of listeners) listener(messages);
  };
  return {
    add: (message) => change([...messages, message].slice(-noticesMax)),
    listen(listener) {
      listeners.add(listener);
      listener(messages);
      return () => void listeners.delete(listener);
    },
    clear: () => change([]),
  };
}
