/** Writes frames of HTTP/2 and header blocks without any compression, also such that no honest client would send. */

export const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export function data(stream: number, payload: Buffer, endStream = false): Buffer {
  return frame(0, endStream ? 1 : 0, stream, payload);
}

export function headers(
  stream: number,
  block: Buffer,
  { endStream = false, endHeaders = true }: { readonly endStream?: boolean; readonly endHeaders?: boolean },
): Buffer {
  return frame(1, (endStream ? 1 : 0) | (endHeaders ? 4 : 0), stream, block);
}

export function settings(entries: readonly (readonly [number, number])[] = []): Buffer {
  const payload = Buffer.alloc(entries.length * 6);
  for (const [at, [name, value]] of entries.entries()) {
    payload.writeUInt16BE(name, at * 6);
    payload.writeUInt32BE(value, at * 6 + 2);
  }
  return frame(4, 0, 0, payload);
}

export function windowUpdate(stream: number, increment: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(increment);
  return frame(8, 0, stream, payload);
}

export function priority(stream: number, dependency: number): Buffer {
  const payload = Buffer.alloc(5);
  payload.writeUInt32BE(dependency);
  return frame(2, 0, stream, payload);
}

/** A header block of literals. Without a method only `fields` are in it. */
export function request(method: string, path: string, fields: readonly (readonly [string, string])[]): Buffer {
  const pseudo: readonly (readonly [string, string])[] =
    method === ""
      ? []
      : [
          [":method", method],
          [":scheme", "https"],
          [":path", path],
          [":authority", "127.0.0.1"],
        ];
  return Buffer.concat([...pseudo, ...fields].flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  return Buffer.concat([integer(bytes.length), bytes]);
}

/** With a prefix of seven bits. */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}
