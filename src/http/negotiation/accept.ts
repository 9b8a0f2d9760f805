/** Reads an Accept header: alternatives with their parameters, best first. */

export interface Alternative {
  /** "application/json", "* / *" without the spaces. As sent: v1.21 is case-sensitive here. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** More alternatives than any client sends; what follows is not read. */
export const alternativesMax = 64;

export function parseAccept(header: string): readonly Alternative[] {
  const found: Alternative[] = [];
  for (const part of header.split(",", alternativesMax)) {
    const pieces = part.split(";");
    const type = pieces[0]!.trim();
    if (type === "") continue;
    const parameters = new Map<string, string>();
    let quality = 1;
    for (let i = 1; i < pieces.length; i++) {
      const [name = "", value] = splitOnce(pieces[i]!);
      if (value === undefined) continue;
      const key = name.trim();
      if (key === "q") quality = parseQuality(value.trim());
      else if (key !== "") parameters.set(key, value.trim());
    }
    insert(found, { type, parameters, quality });
  }
  return found;
}

/** Whether an alternative covers a media type that is offered. */
export function covers({ type }: Alternative, offered: string): boolean {
  return type === offered || type === "*/*" || (type.endsWith("/*") && offered.startsWith(type.slice(0, -1)));
}

/**
 * Moves a new alternative forward past all that it precedes. As in v1.21, only neighbours are compared: a wildcard
 * yields to a type that is named later, even to one of lower quality.
 */
function insert(sorted: Alternative[], added: Alternative): void {
  let at = sorted.push(added) - 1;
  for (; at > 0 && precedes(added, sorted[at - 1]!); at--) sorted[at] = sorted[at - 1]!;
  sorted[at] = added;
}

function precedes(a: Alternative, b: Alternative): boolean {
  return a.quality > b.quality || wildness(a.type) < wildness(b.type);
}

/** A quality that is not a number counts as the lowest. */
function parseQuality(text: string): number {
  return /^[0-9.]{1,8}$/.test(text) ? Number(text) || 0 : 0;
}

function wildness(type: string): number {
  return type.startsWith("*") ? 2 : type.endsWith("/*") ? 1 : 0;
}

function splitOnce(text: string): [string, string | undefined] {
  const at = text.indexOf("=");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
