/** Frames of several events as one piece of bytes, shared among the watchers that get the same events. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";

interface Joined {
  readonly frames: readonly Buffer[];
  readonly bytes: Buffer;
}

/** By the first frame. Watchers at the same position get the same frames, which are shared as well. */
const latest = new WeakMap<Buffer, Joined>();

export function joinFrames(frames: readonly Buffer[]): Buffer {
  const [first] = frames;
  if (first === undefined || frames.length === 1) return first ?? Buffer.alloc(0);
  const known = latest.get(first);
  if (known !== undefined && isSame(known.frames, frames)) {
    if (checksCaches) checkAnswer("joined frames", known.bytes, Buffer.concat(frames));
    return known.bytes;
  }
  const bytes = Buffer.concat(frames);
  latest.set(first, { frames, bytes });
  return bytes;
}

function isSame(some: readonly Buffer[], others: readonly Buffer[]): boolean {
  return some.length === others.length && some.every((frame, at) => frame === others[at]);
}
