/** What a certificate request asks for, for people who decide about it. The readers of the server need Buffers, which browsers do not have. */

export interface RequestedCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** DNS names, addresses, mail addresses and URIs. */
  readonly names: readonly string[];
}

interface Element {
  readonly tag: number;
  readonly contents: Uint8Array;
}

/** Larger ones are not read; the server stores no larger ones. */
const requestBytesMax = 1024 * 1024;

/** `request`: PEM in base64, as in the spec. Throws if it is not a request. */
export function readCertificateRequest(request: string): RequestedCertificate {
  const pem = atob(request);
  const body = /-----BEGIN CERTIFICATE REQUEST-----([\s\S]*?)-----END/.exec(pem)?.[1];
  if (body === undefined || pem.length > requestBytesMax) throw new Error("this is not a certificate request");
  const der = Uint8Array.from(atob(body.replaceAll(/\s/g, "")), (char) => char.charCodeAt(0));
  const [info] = children(first(der));
  const [, subject, , attributes] = children(required(info));
  const attribute = (wanted: string) =>
    children(required(subject))
      .flatMap(children)
      .flatMap((pair) => {
        const [type, value] = children(pair);
        return type !== undefined && value !== undefined && hex(type) === wanted ? [utf8(value)] : [];
      });
  return {
    commonName: attribute(oids.commonName)[0] ?? "",
    organizations: attribute(oids.organization),
    names: attributes === undefined ? [] : alternativeNames(attributes),
  };
}

const oids = { commonName: "550403", organization: "55040a", extensionRequest: "2a864886f70d01090e", names: "551d11" };

function alternativeNames(attributes: Element): readonly string[] {
  const requested = children(attributes).find((one) => hex(required(children(one)[0])) === oids.extensionRequest);
  if (requested === undefined) return [];
  const extensions = children(required(children(required(children(requested)[1]))[0]));
  const found = extensions.find((one) => hex(required(children(one)[0])) === oids.names);
  const octets = found === undefined ? undefined : children(found).at(-1);
  return octets === undefined ? [] : children(first(octets.contents)).map(generalName);
}

function generalName(name: Element): string {
  const kind = name.tag & 0x1f;
  if (kind !== 7) return utf8(name);
  if (name.contents.length === 4) return name.contents.join(".");
  return (hex(name).match(/.{1,4}/g) ?? []).join(":");
}

const hex = ({ contents }: Element): string =>
  Array.from(contents, (byte) => byte.toString(16).padStart(2, "0")).join("");
const utf8 = ({ contents }: Element): string => new TextDecoder().decode(contents);

function required(element: Element | undefined): Element {
  if (element === undefined) throw new Error("the certificate request is cut off");
  return element;
}

const first = (bytes: Uint8Array): Element => required(elements(bytes)[0]);
const children = ({ contents }: Element): Element[] => elements(contents);

/** DER: a tag, a length, the contents. */
function elements(bytes: Uint8Array): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0;
    let length = bytes[at + 1] ?? 0;
    at += 2;
    if (length >= 0x80) {
      const octets = length & 0x7f;
      if (octets === 0 || octets > 4) throw new Error("the certificate request has an impossible length");
      length = bytes.subarray(at, at + octets).reduce((sum, byte) => sum * 256 + byte, 0);
      at += octets;
    }
    if (at + length > bytes.length) throw new Error("the certificate request is cut off");
    found.push({ tag, contents: bytes.subarray(at, at + length) });
    at += length;
  }
  return found;
}
