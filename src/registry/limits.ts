/** Everything the registry bounds, by name. */

export interface Limits {
  /** How long the past can be watched and listed. */
  readonly historyMs: number;
  /** How many changes of one family are kept in memory. */
  readonly historyEventsMax: number;
  /** How many bytes of replaced states of one family are kept in memory. */
  readonly historyBytesMax: number;
  /** How far a watcher may stay behind before it is ended. */
  readonly watchBufferBytesMax: number;
  /** How often a watcher that asked for it is told how far it is. */
  readonly bookmarkIntervalMs: number;
  /** How long a read waits for a version that has not been reached. */
  readonly versionWaitMs: number;
  /** How often the store is told what it may forget. */
  readonly compactIntervalMs: number;
  /** How long objects of kinds that vanish by themselves are kept; 0: for ever. Undefined: as long as their kind says. */
  readonly lifeMs: number | undefined;
  /** How often objects that outlived their time are looked for. */
  readonly expiryIntervalMs: number;
  /** How often a write without a version is tried again because somebody else was faster. */
  readonly attemptsMax: number;
  /** How many objects of a collection are deleted at the same time. */
  readonly deletesAtOnceMax: number;
}

export const defaultLimits: Limits = {
  historyMs: 5 * 60_000,
  historyEventsMax: 10_000,
  historyBytesMax: 32 * 1024 * 1024,
  watchBufferBytesMax: 256 * 1024,
  bookmarkIntervalMs: 50_000,
  versionWaitMs: 3_000,
  compactIntervalMs: 30_000,
  lifeMs: undefined,
  expiryIntervalMs: 10_000,
  attemptsMax: 100,
  deletesAtOnceMax: 16,
};
