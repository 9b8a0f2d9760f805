/** How characters of a terminal look: colours by number or by value, and the few attributes that are drawn. */

export interface CellStyle {
  /** A number of the palette of 16, or "#rrggbb"; undefined: the page's own. */
  readonly fore: number | string | undefined;
  readonly back: number | string | undefined;
  readonly isBold: boolean;
  readonly isFaint: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isInverse: boolean;
}

export const plainStyle: CellStyle = {
  fore: undefined,
  back: undefined,
  isBold: false,
  isFaint: false,
  isItalic: false,
  isUnderlined: false,
  isInverse: false,
};

/** By its parameter. */
const changes: Readonly<Record<number, Partial<CellStyle>>> = {
  0: plainStyle,
  1: { isBold: true },
  2: { isFaint: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  7: { isInverse: true },
  22: { isBold: false, isFaint: false },
  23: { isItalic: false },
  24: { isUnderlined: false },
  27: { isInverse: false },
  39: { fore: undefined },
  49: { back: undefined },
};

/** The style after `ESC [ parameters m`; what is unknown changes nothing. */
export function styledBy(before: CellStyle, parameters: readonly number[]): CellStyle {
  let style = before;
  const rest = parameters.length === 0 ? [0] : [...parameters];
  for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
    const side = next === 38 ? "fore" : next === 48 ? "back" : undefined;
    if (side !== undefined) style = { ...style, [side]: longColour(rest) ?? style[side] };
    else style = { ...style, ...(changes[next] ?? shortColour(next)) };
  }
  return style;
}

function shortColour(parameter: number): Partial<CellStyle> {
  if (parameter >= 30 && parameter <= 37) return { fore: parameter - 30 };
  if (parameter >= 90 && parameter <= 97) return { fore: parameter - 82 };
  if (parameter >= 40 && parameter <= 47) return { back: parameter - 40 };
  return parameter >= 100 && parameter <= 107 ? { back: parameter - 92 } : {};
}

/** `5;n` or `2;r;g;b`, taken from what follows. */
function longColour(rest: number[]): number | string | undefined {
  const form = rest.shift();
  if (form === 5) {
    const number = rest.shift() ?? -1;
    return number >= 0 && number < 16 ? number : colourOf256(number);
  }
  if (form !== 2) return undefined;
  return hex([rest.shift() ?? 0, rest.shift() ?? 0, rest.shift() ?? 0]);
}

/** A cube of six steps to a side, then 24 greys. */
function colourOf256(number: number): string | undefined {
  if (number < 16 || number > 255) return undefined;
  if (number >= 232) {
    const grey = 8 + (number - 232) * 10;
    return hex([grey, grey, grey]);
  }
  const at = number - 16;
  const step = (one: number) => (one === 0 ? 0 : 55 + one * 40);
  return hex([step(Math.floor(at / 36)), step(Math.floor(at / 6) % 6), step(at % 6)]);
}

const hex = (parts: readonly number[]): string =>
  `#${parts.map((one) => Math.min(Math.max(one, 0), 255).toString(16).padStart(2, "0")).join("")}`;
