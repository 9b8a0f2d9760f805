/** A terminal: draws the screen, and sends what is typed. */

import { Component, type RefObject } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { TerminalReader } from "../state/terminal-input.ts";
import { bytesOfKey, pastedBytes } from "../state/terminal-keys.ts";
import { type ScreenRow, TerminalScreen } from "../state/terminal-screen.ts";
import type { CellStyle } from "../state/terminal-style.ts";

/** What a terminal is joined to. */
interface TerminalLine {
  send(text: string): void;
  resize(columns: number, rows: number): void;
}

interface TerminalOptions {
  /** What those who do not see it are told. */
  readonly label: string;
  /** Takes the function that shows output; what it returns takes the keys. Undefined: it has ended, and the screen stays. */
  readonly line: TerminalLine | undefined;
  readonly register: (write: (bytes: Uint8Array) => void) => void;
}

/** Rows above the screen that are drawn. */
const drawnRowsMax = 500;
const sizes = { columnsMin: 20, columnsMax: 400, rowsMin: 5, rowsMax: 200 } as const;

export function Terminal({ label, line, register }: TerminalOptions) {
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const screen = useScreen({ line, register }, box, input);
  const send = (text: string) => {
    if (text !== "") line?.send(text);
  };
  const takeTyped = (field: HTMLTextAreaElement) => {
    send(field.value.replaceAll("\n", "\r"));
    field.value = "";
  };
  const { row: cursorRow, column } = screen.cursor;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a press anywhere leads to the field inside, which keys reach by themselves
    // biome-ignore lint/a11y/useKeyWithClickEvents: the same
    <div
      class="terminal"
      ref={box}
      onClick={() => {
        if (getSelection()?.isCollapsed !== false) input.current?.focus();
      }}
    >
      <div role="log" aria-label={`Output of ${label}`}>
        {screen.scrolled.slice(-drawnRowsMax).map((cells, at) => (
          <TerminalRow key={at - screen.scrolled.length} cells={cells} cursor={-1} version={0} />
        ))}
        {screen.lines.map((cells, at) => (
          <TerminalRow
            key={at}
            cells={cells}
            cursor={screen.isCursorShown && line !== undefined && at === cursorRow ? column : -1}
            version={undefined}
          />
        ))}
      </div>
      <textarea
        ref={input}
        class="terminal-input"
        aria-label={`Input of ${label}`}
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        rows={1}
        readOnly={line === undefined}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          const bytes = bytesOfKey(event, screen.hasApplicationKeys);
          if (bytes === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          send(bytes);
        }}
        onInput={(event) => {
          if (!event.isComposing) takeTyped(event.currentTarget);
        }}
        onCompositionEnd={(event) => takeTyped(event.currentTarget)}
        onPaste={(event) => {
          event.preventDefault();
          send(pastedBytes(event.clipboardData?.getData("text/plain") ?? "", screen.isPasteMarked));
        }}
      />
    </div>
  );
}

/** The screen, which shows what comes, and has the size of its box. */
function useScreen(
  { line, register }: Pick<TerminalOptions, "line" | "register">,
  box: RefObject<HTMLDivElement>,
  input: RefObject<HTMLTextAreaElement>,
): TerminalScreen {
  const state = useRef<{ screen: TerminalScreen; reader: TerminalReader } | undefined>(undefined);
  if (state.current === undefined) {
    const screen = new TerminalScreen(80, 24);
    state.current = { screen, reader: new TerminalReader(screen) };
  }
  const { screen, reader } = state.current;
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const joined = useRef(line);
  joined.current = line;
  useEffect(() => {
    let isDue = false;
    const decoder = new TextDecoder();
    register((bytes) => {
      reader.write(decoder.decode(bytes, { stream: true }));
      for (const answer of screen.answers.splice(0)) joined.current?.send(answer);
      // Once for all that comes until the next frame.
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        draw(undefined);
      });
    });
  }, []);
  useLayoutEffect(() => {
    if (line === undefined) return;
    input.current?.focus();
    const resize = () => {
      const size = sizeOf(box.current);
      if (size === undefined) return;
      screen.resize(size.columns, size.rows);
      line.resize(size.columns, size.rows);
      draw(undefined);
    };
    resize();
    const watched = new ResizeObserver(resize);
    if (box.current !== null) watched.observe(box.current);
    return () => watched.disconnect();
  }, [line]);
  useLayoutEffect(() => {
    // The screen is at the end of what is drawn.
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  });
  return screen;
}

interface TerminalRowOptions {
  readonly cells: ScreenRow;
  /** The column of the cursor; -1: it is in another row. */
  readonly cursor: number;
  /** Undefined: the row may have changed; otherwise it never does. */
  readonly version: number | undefined;
}

class TerminalRow extends Component<TerminalRowOptions> {
  override shouldComponentUpdate(next: TerminalRowOptions): boolean {
    return next.version === undefined || next.cells !== this.props.cells;
  }

  override render({ cells, cursor }: TerminalRowOptions) {
    return (
      <div class="terminal-row">
        {runsOf(cells, cursor).map(({ text, style, isCursor }, at) => (
          <span key={at} class={classOf(style, isCursor)} style={coloursOf(style)}>
            {text}
          </span>
        ))}
      </div>
    );
  }
}

interface Run {
  text: string;
  readonly style: CellStyle | undefined;
  readonly isCursor: boolean;
}

/** Cells of one style that follow each other are one element. */
function runsOf(cells: ScreenRow, cursor: number): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < Math.max(cells.length, cursor + 1); at++) {
    const { text, style } = cells[at] ?? { text: " ", style: undefined };
    const isCursor = at === cursor;
    const last = runs.at(-1);
    if (last !== undefined && !isCursor && !last.isCursor && last.style === style) last.text += text;
    else runs.push({ text, style, isCursor });
  }
  return runs;
}

function classOf(style: CellStyle | undefined, isCursor: boolean): string | undefined {
  const words = [
    isCursor && "is-cursor",
    style?.isBold && "is-bold",
    style?.isFaint && "is-faint",
    style?.isItalic && "is-italic",
    style?.isUnderlined && "is-underlined",
    style?.isInverse && "is-inverse",
  ].filter((one) => typeof one === "string");
  return words.length === 0 ? undefined : words.join(" ");
}

/** Set as properties, which the policy of the page allows: they are numbers of our palette, or made of three numbers. */
function coloursOf(style: CellStyle | undefined): Record<string, string> {
  if (style === undefined) return {};
  const colour = (one: number | string) => (typeof one === "number" ? `var(--ansi-${one})` : one);
  return {
    ...(style.fore === undefined ? {} : { "--fore": colour(style.fore) }),
    ...(style.back === undefined ? {} : { "--behind": colour(style.back) }),
  };
}

/** How many characters have room. */
function sizeOf(box: HTMLDivElement | null) {
  const row = box?.querySelector(".terminal-row");
  if (box === null || !(row instanceof HTMLElement)) return undefined;
  const probe = document.createElement("span");
  probe.textContent = "M".repeat(100);
  row.append(probe);
  const { width } = probe.getBoundingClientRect();
  probe.remove();
  const height = row.getBoundingClientRect().height;
  if (width === 0 || height === 0) return undefined;
  const padding = 16;
  const within = (value: number, min: number, max: number) => Math.min(Math.max(Math.floor(value), min), max);
  return {
    columns: within((box.clientWidth - padding) / (width / 100), sizes.columnsMin, sizes.columnsMax),
    rows: within((box.clientHeight - padding) / height, sizes.rowsMin, sizes.rowsMax),
  };
}
