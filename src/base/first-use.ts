/** Values of the process that are made when they are first needed, since most programs never need them. */

/**
 * A function that calls `make` once and keeps what it made. `make` takes nothing, so that no caller decides what the others get; when it
 * throws, the next call tries again.
 */
export function onFirstUse<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
