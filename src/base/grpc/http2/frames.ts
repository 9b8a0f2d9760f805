/** Frames of HTTP/2 (RFC 9113): what each begins with, and the few whose content is always the same. */

export const frameType = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const frameFlag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

/** Codes of RST_STREAM and GOAWAY that are told apart or sent. */
export const http2Code = {
  none: 0,
  protocol: 1,
  flowControl: 3,
  frameSize: 6,
  refused: 7,
  cancel: 8,
  compression: 9,
  calm: 11,
  inadequateSecurity: 12,
} as const;

export const settingName = { enablePush: 2, maxConcurrentStreams: 3, initialWindow: 4, maxFrame: 5 } as const;

export const frameHeadBytes = 9;
/** What every connection accepts, and we send no longer ones. */
export const frameBytesMax = 16_384;
/** What every window has until its owner says otherwise. */
export const windowBytesFirst = 65_535;

/** What a server sent is not HTTP/2 as it was agreed on. */
export class Http2Error extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export function frameHead(type: number, flags: number, stream: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(frameHeadBytes);
  head.writeUIntBE(length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return head;
}

/** A frame whose content is numbers of four bytes. */
export function wordsFrame(type: number, stream: number, ...words: readonly number[]): Buffer {
  const content = Buffer.allocUnsafe(4 * words.length);
  for (const [at, word] of words.entries()) content.writeUInt32BE(word, 4 * at);
  return Buffer.concat([frameHead(type, 0, stream, content.byteLength), content]);
}

export function settingsFrame(settings: readonly (readonly [name: number, value: number])[]): Buffer {
  const content = Buffer.allocUnsafe(6 * settings.length);
  for (const [at, [name, value]] of settings.entries()) {
    content.writeUInt16BE(name, 6 * at);
    content.writeUInt32BE(value, 6 * at + 2);
  }
  return Buffer.concat([frameHead(frameType.settings, 0, 0, content.byteLength), content]);
}

export function readSettings(content: Buffer): (readonly [name: number, value: number])[] {
  const settings: (readonly [number, number])[] = [];
  for (let at = 0; at + 6 <= content.byteLength; at += 6)
    settings.push([content.readUInt16BE(at), content.readUInt32BE(at + 2)]);
  return settings;
}
