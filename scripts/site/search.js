/** Finds sections in which every word of the query begins a word. A word in the title counts most, then in the heading, then in the text. */

const root = document.currentScript.dataset.root;
const field = document.getElementById("query");
const list = document.getElementById("found");
const shownMax = 12;

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
const entries = globalThis.searchIndex.map(([place, title, anchor, heading, text]) => ({
  place,
  title,
  anchor,
  heading,
  text,
  parts: [
    { words: wordsOf(title), weight: 4 },
    { words: wordsOf(heading), weight: 6 },
    { words: wordsOf(text), weight: 1 },
  ],
}));

function scoreOf(entry, query) {
  let score = 0;
  for (const wanted of query) {
    let best = 0;
    for (const { words, weight } of entry.parts)
      for (const word of words) if (word.startsWith(wanted)) best = Math.max(best, weight + (word === wanted ? 1 : 0));
    if (best === 0) return 0;
    score += best;
  }
  return score;
}

function excerptOf(text, query) {
  const at = text.toLowerCase().search(new RegExp(`(?<![\\p{L}\\p{N}_])${query[0]}`, "u"));
  const from = Math.max(0, at - 40);
  return `${from > 0 ? "… " : ""}${text.slice(from, from + 140)}`;
}

function show() {
  const query = wordsOf(field.value);
  const found =
    query.length === 0
      ? []
      : entries
          .map((entry) => ({ entry, score: scoreOf(entry, query) }))
          .filter(({ score }) => score > 0)
          .sort((a, b) => b.score - a.score)
          .slice(0, shownMax);
  list.replaceChildren(
    ...found.map(({ entry }) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `${root}${entry.place}#${entry.anchor}`;
      link.textContent = entry.heading === entry.title ? entry.title : `${entry.title}: ${entry.heading}`;
      const text = document.createElement("p");
      text.textContent = excerptOf(entry.text, query);
      item.append(link, text);
      return item;
    }),
  );
  if (query.length > 0 && found.length === 0) {
    const item = document.createElement("li");
    item.textContent = "No section has all these words.";
    list.append(item);
  }
  list.hidden = query.length === 0;
}

field.addEventListener("input", show);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "Escape") {
    field.value = "";
    show();
  } else if (event.key === "Enter" && document.activeElement === field) list.querySelector("a")?.click();
});
