/**
 * Checks caches of answers. The key of such a cache must decide its answer: neither an earlier request nor the time may. With
 * `ORCH_CHECK_CACHES=1` each cache computes what it finds again, and an answer that differs is an error that shows both:
 *
 *   const known = lengths.get(text);
 *   if (known !== undefined) {
 *     if (checksCaches) checkAnswer("lengths", known, lengthOf(text));
 *     return known;
 *   }
 *
 * This also finds an answer that somebody changed in place after it was stored. Caches of functions and plans compiled from a declaration
 * have nothing to compare: their key is the declaration itself, which never changes.
 */

/** Absent in browsers, where nothing is checked. */
const environment = (globalThis as { readonly process?: { readonly env: Record<string, string | undefined> } }).process
  ?.env;

export const checksCaches: boolean = environment?.["ORCH_CHECK_CACHES"] === "1";

/** What was found wrong in this process: a test may expect or swallow the error, and still must not pass. */
export const wrongAnswers: string[] = [];

/** As much of both answers is shown. */
const shownCharsMax = 2_000;
/** What both answers begin with is not shown, but for the last characters. */
const sharedCharsShown = 60;

class WrongCachedAnswer extends Error {
  override readonly name = "WrongCachedAnswer";
}

/** Throws if the two print differently. Functions are not compared. */
export function checkAnswer(cache: string, cached: unknown, computed: unknown): void {
  const [one, other] = [printed(cached), printed(computed)];
  if (one === other) return;
  const message = `the cache ${cache} gives another answer than computing it again\n  cached:   ${one}\n  computed: ${other}`;
  const short = one.length + other.length < shownCharsMax ? message : shortened(cache, one, other);
  wrongAnswers.push(short);
  throw new WrongCachedAnswer(short);
}

function shortened(cache: string, one: string, other: string): string {
  let same = 0;
  while (one[same] === other[same]) same++;
  const from = Math.max(0, same - sharedCharsShown);
  const shown = (text: string) => `${from > 0 ? "…" : ""}${text.slice(from, from + shownCharsMax / 2)}`;
  return `the cache ${cache} gives another answer than computing it again, from character ${same} on\n  cached:   ${shown(one)}\n  computed: ${shown(other)}`;
}

/** In the order of members, which clients see. */
function printed(value: unknown): string {
  return JSON.stringify(value, plain) ?? String(value);
}

function plain(this: Readonly<Record<string, unknown>>, name: string, given: unknown): unknown {
  const part = this[name]; // `given` is what its method toJSON says, of which buffers have one
  if (part instanceof Uint8Array) return new TextDecoder("latin1").decode(part);
  if (part instanceof Map) return { map: [...part] };
  if (part instanceof Set) return { set: [...part] };
  return typeof given === "bigint" ? `${given}n` : given;
}
