/**
 * The order in which items of a range are tried for a service that leaves the choice to the server. Newer levels leave the first part of a
 * range to services that name their item: it is tried last.
 */

/** A share of a range, between two limits; a range that is not larger than the lower limit reserves nothing. */
interface Reserve {
  readonly divisor: number;
  readonly min: number;
  readonly max: number;
}

export const addressReserve: Reserve = { divisor: 16, min: 16, max: 256 };
export const portReserve: Reserve = { divisor: 32, min: 16, max: 128 };

export function reservedOf(size: number, { divisor, min, max }: Reserve): number {
  return size <= min ? 0 : Math.min(max, Math.max(min, Math.floor(size / divisor)));
}

/**
 * All indexes below `size`, each once: first those from `reserved` on, then those below. Both parts begin at a random index, so that the item
 * that was freed last is not allocated first.
 */
export function* searchOrder(size: number, reserved: number, random: (below: number) => number): Generator<number> {
  yield* around(reserved, size - reserved, random);
  yield* around(0, reserved, random);
}

function* around(first: number, count: number, random: (below: number) => number): Generator<number> {
  if (count === 0) return;
  const start = random(count);
  for (let step = 0; step < count; step += 1) yield first + ((start + step) % count);
}
