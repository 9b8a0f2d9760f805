/** Searches a text of lines: how many lines have the word, and which of them is looked at. */

interface YamlSearchOptions {
  readonly word: string;
  /** How many lines have it. */
  readonly count: number;
  /** Which of them is looked at, from 0. */
  readonly at: number;
  readonly onSearch: (word: string, at: number) => void;
}

export function YamlSearch({ word, count, at, onSearch }: YamlSearchOptions) {
  const text = count === 0 ? "No line has it" : `${at + 1} of ${count}`;
  return (
    <>
      <input
        type="search"
        id="filter"
        aria-label="Search the YAML"
        placeholder="Search  /"
        value={word}
        onInput={(event) => onSearch(event.currentTarget.value, 0)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || count === 0) return;
          event.preventDefault();
          onSearch(word, (at + (event.shiftKey ? count - 1 : 1)) % count);
        }}
      />
      <span role="status">{word === "" ? "" : text}</span>
    </>
  );
}
