/** An authenticated identity. */

export interface User {
  readonly name: string;
  /** Empty: none. */
  readonly uid: string;
  readonly groups: readonly string[];
  /** Keys are lower case. */
  readonly extra: ReadonlyMap<string, readonly string[]>;
}
