/** Releases ("1.21"), and the span of releases in which something exists. */

export type Release = `${number}.${number}`;

const zero = "0".charCodeAt(0);

/** A text from outside may be anything. */
export const isRelease = (text: string): text is Release => /^\d+\.\d+$/.test(text);

/** Absent members: it was always there, and it stays. */
export interface Span {
  /** The first release that has it. */
  readonly since?: Release | undefined;
  /** The first release that no longer has it. */
  readonly until?: Release | undefined;
}

/** Negative: `a` is the earlier one. Called thousands of times while a server starts. */
export function compareReleases(a: Release, b: Release): number {
  const dot = a.indexOf(".");
  const otherDot = b.indexOf(".");
  return (
    numberIn(a, 0, dot) - numberIn(b, 0, otherDot) ||
    numberIn(a, dot + 1, a.length) - numberIn(b, otherDot + 1, b.length)
  );
}

function numberIn(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) number = number * 10 + text.charCodeAt(at) - zero;
  return number;
}

export const isSince = (release: Release, since: Release): boolean => compareReleases(release, since) >= 0;

/** "1.27" of "1.28"; the first of a major release has none before it, and is its own. */
export function previousRelease(release: Release): Release {
  const [major, minor] = partsOf(release);
  return `${major}.${Math.max(minor - 1, 0)}`;
}

export function existsIn(release: Release, { since, until }: Span): boolean {
  return (since === undefined || isSince(release, since)) && (until === undefined || !isSince(release, until));
}

/** A value of a list that is not in it in every release: `["A", since("1.23", "B")]`. */
export class Dated<T> {
  readonly value: T;
  readonly span: Span;

  constructor(value: T, span: Span) {
    this.value = value;
    this.span = span;
  }
}

export const since = <const T>(release: Release, value: T): Dated<T> => new Dated(value, { since: release });
export const until = <const T>(release: Release, value: T): Dated<T> => new Dated(value, { until: release });
/** From the first release until the second, which no longer has it. */
export const between = <const T>(since: Release, until: Release, value: T): Dated<T> =>
  new Dated(value, { since, until });

/** The values of a list in one release. */
export function valuesIn<T>(release: Release, values: readonly (T | Dated<T>)[]): readonly T[] {
  if (!values.some((value) => value instanceof Dated)) return values as readonly T[]; // none is dated
  return values.flatMap((value) => {
    if (!(value instanceof Dated)) return [value];
    return existsIn(release, value.span) ? [value.value] : [];
  });
}

/** Properties that changed, by the release that changed them: `{ "1.33": { generation: true } }`. */
export type Changes<T> = Readonly<Partial<Record<Release, Partial<T>>>>;

/** The changes up to a release, later ones over earlier ones; undefined: there are none. */
export function changesUntil<T extends object>(release: Release, changes: Changes<T> = {}): Partial<T> | undefined {
  const passed = (Object.keys(changes) as Release[]).filter((at) => isSince(release, at)).sort(compareReleases);
  return passed.length === 0 ? undefined : Object.assign({}, ...passed.map((at) => changes[at]));
}

function partsOf(release: Release): readonly [major: number, minor: number] {
  const dot = release.indexOf(".");
  return [Number(release.slice(0, dot)), Number(release.slice(dot + 1))];
}
