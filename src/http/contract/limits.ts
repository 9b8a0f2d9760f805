/** What one server takes at most. */

export interface Limits {
  /** Requests that only read (get, list) under way at once; watches do not count. */
  readonly readingMax: number;
  readonly mutatingMax: number;
  /** Bytes of all request bodies that are being read or worked on. */
  readonly bodiesBytesMax: number;
  readonly bodyBytesMax: number;
  readonly requestTimeoutMs: number;
  /** A watch without timeoutSeconds lasts this long to twice this long. */
  readonly watchTimeoutMinMs: number;
  /** Answers above this are compressed for clients that ask. */
  readonly compressAboveBytes: number;
}
