/** The limits of the registry, by name. */

export interface RegistryLimits {
  /** How long past states can be watched and listed. */
  readonly historyMs: number;
  /** How many changes of one family are kept in memory. */
  readonly historyEventsMax: number;
  /** How many bytes of replaced states of one family are kept in memory. */
  readonly historyBytesMax: number;
  /** How far a watcher may fall behind before the registry ends it. */
  readonly watchBufferBytesMax: number;
  /** How often a watcher that requested bookmarks gets one. */
  readonly bookmarkIntervalMs: number;
  /** How long a read waits for a version that has not been reached. */
  readonly versionWaitMs: number;
  /** How often the store is compacted. */
  readonly compactIntervalMs: number;
  /** The TTL of objects of kinds that expire, such as the event TTL; 0: they never expire. Undefined: the TTL of their kind. */
  readonly lifeMs: number | undefined;
  /** How often the registry looks for expired objects. */
  readonly expiryIntervalMs: number;
  /** How often a write without a version is retried after a conflict with another writer. */
  readonly attemptsMax: number;
  /** How many objects of a collection are deleted at the same time. */
  readonly deletesAtOnceMax: number;
  /** The shortest time between two reads of the size of the store, for metrics; 0: it is never read. */
  readonly sizePollMs: number;
}

/** What the condition of a question may cost for all objects of a list together: some seconds at most, in time slices. */
export const listCostMax = 20_000_000;

export const defaultLimits: RegistryLimits = {
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
  sizePollMs: 30_000,
};
