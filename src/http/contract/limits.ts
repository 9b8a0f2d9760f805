/** The limits of one server. */

export interface Limits {
  /** Requests that only read (get, list) under way at once; watches do not count. */
  readonly readingMax: number;
  readonly mutatingMax: number;
  /** Requests of all kinds, waiting ones included, when priority and fairness decides which of them are worked on. */
  readonly arrivedMax: number;
  /** Bytes of all request bodies that are being read or worked on. */
  readonly bodiesBytesMax: number;
  readonly bodyBytesMax: number;
  readonly requestTimeoutMs: number;
  /** A watch without timeoutSeconds lasts between this long and twice as long. */
  readonly watchTimeoutMinMs: number;
  /** Larger answers are compressed for clients that accept it. */
  readonly compressAboveBytes: number;
  /** Requests that take longer are logged with their steps; 0: none are. */
  readonly slowRequestMs: number;
}
