/** A text field for YAML: line numbers, problems at their lines, completion and documentation from the schemas of the server. */

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Completion, completionAt, type Described, documentationAt } from "../state/completion.ts";
import { documentsIn } from "../state/documents.ts";
import { type Problem, problemsMax } from "../state/problems.ts";
import { type YamlLine, yamlLines } from "../state/yaml-lines.ts";
import { spansOf } from "../state/yaml-spans.ts";
import { Completions } from "./completions.tsx";

export interface YamlEditorOptions {
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Ctrl and Enter. */
  readonly onSubmit: () => void;
  /** Undefined: the schemas are not there yet, or the server has none. */
  readonly described: Described | undefined;
  readonly problems: readonly Problem[];
}

/** The height of a line in app.css. */
const linePx = 18;
/** Around the text in app.css. */
const paddingPx = 8;

export function YamlEditor({ value, onChange, onSubmit, described, problems }: YamlEditorOptions) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [scroll, setScroll] = useState<Scroll>({ top: 0, left: 0 });
  const [cursor, setCursor] = useState(0);
  const lines = useMemo(() => yamlLines(value), [value]);
  const at = value.slice(0, cursor).split("\n").length - 1;
  const suggestions = useSuggestions(described, (text, { from, to }) => {
    field.current?.focus();
    type(field.current, text, from, to);
  });
  const { completion, chosen } = suggestions;
  const onKeyDown = (event: KeyboardEvent) => {
    const isControl = event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && isControl) onSubmit();
    else if (event.key === " " && isControl) suggestions.complete(value, cursor, true);
    else if (!suggestions.takesKey(event.key)) {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      suggestions.close();
      type(field.current, `\n${indentAfter(value, cursor)}`, cursor, field.current?.selectionEnd ?? cursor);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const look = () => setCursor(field.current?.selectionStart ?? 0);
  // A value that somebody else has set does not move the cursor out of the text.
  useLayoutEffect(look, [value]);
  const here = problems.filter(({ line }) => line === at);
  const start = value.lastIndexOf("\n", cursor - 1) + 1;
  return (
    <div class="editor">
      <pre class="gutter" aria-hidden="true">
        <span style={{ top: `${-scroll.top}px` }}>{lines.map((_line, number) => `${number + 1}\n`).join("")}</span>
      </pre>
      <div class="sheet">
        <Colours lines={lines} top={scroll.top} left={scroll.left} />
        <textarea
          ref={field}
          class="yaml"
          aria-label="YAML"
          aria-autocomplete="list"
          aria-controls={completion === undefined ? undefined : "completions"}
          aria-activedescendant={completion === undefined || chosen === undefined ? undefined : `completion-${chosen}`}
          aria-invalid={problems.length > 0}
          aria-describedby="field-help"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          wrap="off"
          rows={24}
          value={value}
          onInput={(event) => {
            const { value: text, selectionStart } = event.currentTarget;
            onChange(text);
            suggestions.complete(text, selectionStart, false);
          }}
          onKeyDown={onKeyDown}
          onKeyUp={look}
          onClick={() => {
            look();
            suggestions.close();
          }}
          onBlur={suggestions.close}
          onScroll={({ currentTarget: { scrollTop: top, scrollLeft: left } }) => setScroll({ top, left })}
        />
        <Marks lines={lines} problems={problems} scroll={scroll} />
        {completion !== undefined && (
          <Completions
            completion={completion}
            chosen={chosen}
            top={(at + 1) * linePx + paddingPx - scroll.top}
            left={`calc(${completion.from - start}ch - ${scroll.left}px)`}
            onAccept={suggestions.accept}
          />
        )}
      </div>
      <Documentation described={described} lines={lines} at={at} problems={here} />
    </div>
  );
}

interface Scroll {
  readonly top: number;
  readonly left: number;
}

/** As if typed, so that it can be undone. */
function type(field: HTMLTextAreaElement | null, text: string, from: number, to: number): void {
  field?.setSelectionRange(from, to);
  // The only way to change a field without losing its history of changes.
  document.execCommand("insertText", false, text);
}

/** The list of what can be typed here, and the keys that it takes. */
function useSuggestions(described: Described | undefined, put: (text: string, at: Completion) => void) {
  const [completion, setCompletion] = useState<Completion | undefined>(undefined);
  /** Undefined: no arrow key has chosen one, so that Enter is a new line. */
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const close = () => setCompletion(undefined);
  const accept = (which: number) => {
    const suggestion = completion?.suggestions[which];
    if (completion === undefined || suggestion === undefined) return;
    put(suggestion.text, completion);
    close();
  };
  return {
    completion,
    chosen,
    close,
    accept,
    complete(text: string, place: number, isAsked: boolean) {
      const found = described === undefined ? undefined : completionAt(text, place, described);
      // The list opens by itself with the first letter of a word.
      setCompletion(found !== undefined && (isAsked || found.to > found.from) ? found : undefined);
      setChosen(undefined);
    },
    /** Whether the key was for the list. */
    takesKey(key: string): boolean {
      if (completion === undefined) return false;
      const { length } = completion.suggestions;
      if (key === "ArrowDown" || key === "ArrowUp") setChosen(nextOf(chosen, key === "ArrowDown" ? 1 : -1, length));
      else if (key === "Enter" && chosen !== undefined) accept(chosen);
      else if (key === "Tab") accept(chosen ?? 0);
      else if (key === "Escape") close();
      else return false;
      return true;
    },
  };
}

interface MarksOptions {
  readonly lines: readonly YamlLine[];
  readonly problems: readonly Problem[];
  readonly scroll: Scroll;
}

/** What is wrong with a line, behind its end. */
function Marks({ lines, problems, scroll }: MarksOptions) {
  return (
    <div class="marks" aria-hidden="true">
      {[...Map.groupBy(problems.slice(0, problemsMax), ({ line }) => line)].map(([line, ofLine]) => {
        if (line === undefined) return null;
        const top = `${line * linePx + paddingPx - scroll.top}px`;
        const left = `calc(${(lines[line]?.text.length ?? 0) + 3}ch - ${scroll.left}px)`;
        return (
          <span key={line} style={{ top, left }}>
            {ofLine.map(({ message }) => message).join("; ")}
          </span>
        );
      })}
    </div>
  );
}

/** Lines that are drawn in colours at once, from the first in sight. */
const colouredLines = 120;

/** The same text in colours, behind the field, whose own letters are not to be seen. */
function Colours({
  lines,
  top,
  left,
}: {
  readonly lines: readonly YamlLine[];
  readonly top: number;
  readonly left: number;
}) {
  const first = Math.floor(top / linePx);
  return (
    <pre class="colours" aria-hidden="true">
      <span style={{ top: `${first * linePx - top + paddingPx}px`, left: `${paddingPx / 2 - left}px` }}>
        {lines.slice(first, first + colouredLines).map((line, at) => (
          <span key={at}>
            {spansOf(line).map(({ text, kind }, place) => (
              <span key={place} class={kind === "plain" ? undefined : `code-${kind}`}>
                {text}
              </span>
            ))}
            {"\n"}
          </span>
        ))}
      </span>
    </pre>
  );
}

/** The first or the last one if none was chosen. */
const nextOf = (chosen: number | undefined, step: 1 | -1, count: number): number =>
  chosen === undefined ? (step > 0 ? 0 : count - 1) : (chosen + step + count) % count;

/** As the line that is left, and deeper after a key that opens something. */
function indentAfter(text: string, cursor: number): string {
  const line = text.slice(text.lastIndexOf("\n", cursor - 1) + 1, cursor);
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  const isItem = /^\s*- /.test(line);
  const opens = /:\s*$/.test(line);
  return `${indent}${isItem ? "  " : ""}${opens ? "  " : ""}`;
}

interface DocumentationOptions {
  readonly described: Described | undefined;
  readonly lines: ReturnType<typeof yamlLines>;
  readonly at: number;
  readonly problems: readonly Problem[];
}

/** What the field of the line is, and what is wrong with it. */
function Documentation({ described, lines, at, problems }: DocumentationOptions) {
  const documents = useMemo(() => documentsIn("", lines), [lines]);
  const path = lines[at]?.path ?? [];
  const found = described === undefined ? undefined : documentationAt(documents, { number: at, path }, described);
  return (
    <div class="documentation" id="field-help">
      {problems.map(({ message }) => (
        <p key={message} class="bad">
          {message}
        </p>
      ))}
      {found === undefined ? (
        <p>
          <kbd>Ctrl Space</kbd> suggests what can be typed.
        </p>
      ) : (
        <p>
          <code>{found.path.join(".")}</code> <small>{found.field.type}</small>{" "}
          {found.field.isRequired && <span class="badge">required</span>} {found.field.description}
          {found.field.values.length > 0 && ` One of: ${found.field.values.join(", ")}.`}
        </p>
      )}
    </div>
  );
}
