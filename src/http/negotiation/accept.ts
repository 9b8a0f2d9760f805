/** Reads an Accept header: alternatives with their parameters, best first. */

export interface Alternative {
  /** "application/json", "* / *" without the spaces; in lower case. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** More alternatives than any client sends; what follows is not read. */
export const alternativesMax = 64;

/** Alternatives of equal quality keep their order, except that wildcards come after what they would cover. */
export function parseAccept(header: string): readonly Alternative[] {
  const found: Alternative[] = [];
  for (const part of header.split(",", alternativesMax)) {
    const pieces = part.split(";");
    const type = pieces[0]!.trim().toLowerCase();
    if (type === "") continue;
    const parameters = new Map<string, string>();
    let quality = 1;
    for (let i = 1; i < pieces.length; i++) {
      const [name = "", value = ""] = pieces[i]!.split("=", 2);
      const key = name.trim().toLowerCase();
      const text = value.trim();
      if (key === "q") quality = parseQuality(text);
      else if (key !== "") parameters.set(key, text);
    }
    found.push({ type, parameters, quality });
  }
  return found.sort((a, b) => b.quality - a.quality || wildness(a.type) - wildness(b.type));
}

function parseQuality(text: string): number {
  const value = /^[0-9.]{1,8}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isNaN(value) ? 1 : Math.min(value, 1);
}

function wildness(type: string): number {
  return type.startsWith("*") ? 2 : type.endsWith("/*") ? 1 : 0;
}
