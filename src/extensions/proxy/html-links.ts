/** Rewrites the links of an HTML page while it streams through: only the values of attributes that hold URLs change. */

/** A longer tag is not changed; a tag has to be buffered until it ends. */
export const tagCharsMax = 16_384;

/** The attributes of each element that hold a URL, as in v1.21. */
const urlAttributes: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    a: ["href"],
    applet: ["codebase"],
    area: ["href"],
    audio: ["src"],
    base: ["href"],
    blockquote: ["cite"],
    body: ["background"],
    button: ["formaction"],
    command: ["icon"],
    del: ["cite"],
    embed: ["src"],
    form: ["action"],
    frame: ["longdesc", "src"],
    head: ["profile"],
    html: ["manifest"],
    iframe: ["longdesc", "src"],
    img: ["longdesc", "src", "usemap"],
    input: ["src", "usemap", "formaction"],
    ins: ["cite"],
    link: ["href"],
    object: ["classid", "codebase", "data", "usemap"],
    q: ["cite"],
    script: ["src"],
    source: ["src"],
    video: ["poster", "src"],
  }).map(([name, attributes]) => [name, new Set(attributes)]),
);

/** Elements whose content is text, even if it looks like tags. */
const rawElements: ReadonlySet<string> = new Set([
  "iframe",
  "noembed",
  "noframes",
  "plaintext",
  "script",
  "style",
  "textarea",
  "title",
  "xmp",
]);

/** Bytes are handled as Latin-1, which keeps every byte of UTF-8 and all other encodings that extend ASCII. */
export async function* rewriteHtml(
  pieces: AsyncIterable<Buffer>,
  rewrite: (url: string) => string,
): AsyncIterable<Buffer> {
  const links = new HtmlLinks(rewrite);
  for await (const piece of pieces) {
    const text = links.push(piece.toString("latin1"));
    if (text !== "") yield Buffer.from(text, "latin1");
  }
  const rest = links.end();
  if (rest !== "") yield Buffer.from(rest, "latin1");
}

type Phase =
  /** Between tags. */
  | { readonly at: "text" }
  /** Inside a tag: `scanned` characters of it contain no end yet; `quote` is the open quotation mark or "". */
  | { readonly at: "tag"; scanned: number; quote: string }
  /** Until this text, in any case: the end of a comment, or of an element whose content is text. */
  | { readonly at: "until"; readonly end: string };

class HtmlLinks {
  readonly #rewrite: (url: string) => string;
  #phase: Phase = { at: "text" };
  /** What cannot be sent yet. */
  #held = "";

  constructor(rewrite: (url: string) => string) {
    this.#rewrite = rewrite;
  }

  push(piece: string): string {
    this.#held += piece;
    let sent = "";
    for (let step = this.#step(); step !== undefined; step = this.#step()) sent += step;
    return sent;
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }

  /** Sends what is clear so far; undefined: more is needed. */
  #step(): string | undefined {
    if (this.#held === "") return undefined;
    switch (this.#phase.at) {
      case "text":
        return this.#text();
      case "tag":
        return this.#tag(this.#phase);
      case "until":
        return this.#until(this.#phase.end);
    }
  }

  #text(): string | undefined {
    const start = this.#held.indexOf("<");
    if (start !== 0) return this.#take(start < 0 ? this.#held.length : start);
    if (this.#held.length < 4 && "<!--".startsWith(this.#held)) return undefined;
    if (this.#held.startsWith("<!--")) {
      this.#phase = { at: "until", end: "-->" };
      return this.#take(4);
    }
    if (!/^<[a-zA-Z]/.test(this.#held)) return this.#take(1);
    this.#phase = { at: "tag", scanned: 1, quote: "" };
    return "";
  }

  #tag(phase: { scanned: number; quote: string }): string | undefined {
    const { length } = this.#held;
    for (; phase.scanned < length; phase.scanned++) {
      const character = this.#held[phase.scanned]!;
      if (phase.quote !== "") {
        if (character === phase.quote) phase.quote = "";
      } else if (character === '"' || character === "'") phase.quote = character;
      else if (character === ">") return this.#rewritten(this.#take(phase.scanned + 1));
    }
    if (length <= tagCharsMax) return undefined;
    this.#phase = { at: "text" };
    return this.#take(length);
  }

  #rewritten(tag: string): string {
    const name = /^<([^\s/>]+)/.exec(tag)?.[1]?.toLowerCase() ?? "";
    this.#phase = rawElements.has(name) ? { at: "until", end: `</${name}` } : { at: "text" };
    const attributes = urlAttributes.get(name);
    return attributes === undefined ? tag : rewriteTag(tag, name.length + 1, attributes, this.#rewrite);
  }

  #until(end: string): string | undefined {
    const found = this.#held.toLowerCase().indexOf(end);
    if (found >= 0) {
      this.#phase = { at: "text" };
      return this.#take(found + (end === "-->" ? end.length : 0));
    }
    const clear = this.#held.length - (end.length - 1);
    return clear > 0 ? this.#take(clear) : undefined;
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return taken;
  }
}

const isSpace = (character: string | undefined) => character !== undefined && /\s/.test(character);

/** One pass over the attributes that follow the name of a tag. */
function rewriteTag(
  tag: string,
  nameEnd: number,
  attributes: ReadonlySet<string>,
  rewrite: (url: string) => string,
): string {
  const last = tag.length - 1;
  let written = "";
  let copied = 0;
  for (let at = nameEnd; at < last; ) {
    if (isSpace(tag[at]) || tag[at] === "/") {
      at++;
      continue;
    }
    const nameStart = at++; // a leading "=" belongs to the name
    while (at < last && !isSpace(tag[at]) && tag[at] !== "=" && tag[at] !== "/") at++;
    const name = tag.slice(nameStart, at).toLowerCase();
    while (at < last && isSpace(tag[at])) at++;
    if (tag[at] !== "=") continue;
    at++;
    while (at < last && isSpace(tag[at])) at++;
    const quote = tag[at] === '"' || tag[at] === "'" ? tag[at]! : "";
    const start = quote === "" ? at : at + 1;
    let end = start;
    if (quote === "") while (end < last && !isSpace(tag[end])) end++;
    else end = Math.max(start, tag.indexOf(quote, start));
    if (attributes.has(name)) {
      written += tag.slice(copied, start) + rewrite(tag.slice(start, end));
      copied = end;
    }
    at = quote === "" ? end : end + 1;
  }
  return written + tag.slice(copied);
}
