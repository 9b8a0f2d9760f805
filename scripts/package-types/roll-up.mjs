/**
 * Rolls declarations up: of the files that the compiler writes, one for each source, it makes one for each entry of the package, and
 * "shared" for what several entries have. What no entry mentions is left out.
 */

import { printDeclared, readDeclared } from "./declared.mjs";

const shared = "shared";

/**
 * `files`: the texts of the compiler by their paths. `entries`: the file of each entry by its name. `known`: what is declared elsewhere, as
 * { from, name } by "file name". Returns texts by names: those of the entries, and "shared".
 */
export function rollUp({ files, entries, known = new Map() }) {
  const declarations = new Declarations(files, known);
  const shown = new Map(Object.entries(entries).map(([entry, file]) => [entry, declarations.exportsOf(file)]));
  const users = usersOf(declarations, shown);
  const outputs = new Map([shared, ...shown.keys()].map((name) => [name, new Output()]));
  const homeOf = (place) => {
    const [first, ...others] = users.get(keyOf(place));
    return others.length === 0 ? first : shared;
  };
  const names = namesOf(
    [...users.values()].map(({ place }) => place),
    shown,
    homeOf,
  );

  /** How a file calls what is declared at a place. */
  const spelled = (place, home) => {
    const output = outputs.get(home);
    if (place.from !== undefined) return output.importName(place.from, place.name);
    const name = names.get(keyOf(place));
    if (homeOf(place) !== home) output.shared.add(name);
    return name;
  };
  const print = (place, name, home) => {
    const words = new Map([[place.name, name]]);
    for (const [word, target] of declarations.mentionsOf(place)) words.set(word, spelled(target, home));
    return declarations.of(place).map(({ doc, tokens }) => ({ doc, text: printDeclared(tokens, place.name, words) }));
  };

  for (const { place } of users.values()) {
    const home = homeOf(place);
    const name = names.get(keyOf(place));
    const isExported = home === shared || shown.get(home).some((one) => one.as === name && isSame(one.place, place));
    for (const { doc, text } of print(place, name, home))
      outputs.get(home).statements.push(`${doc}${isExported ? "export " : ""}${text}`);
  }
  for (const [entry, list] of shown) {
    const output = outputs.get(entry);
    for (const { as, place } of list) {
      if (place.space !== undefined)
        output.statements.push(
          printSpace(
            as,
            declarations.exportsOf(place.space).map((one) => print(one.place, one.as, entry)),
          ),
        );
      else if (place.from !== undefined)
        output.statements.push(`export type ${as} = ${output.importName(place.from, place.name)};\n`);
      else if (homeOf(place) === shared) output.passed.push({ name: names.get(keyOf(place)), as });
    }
  }
  return new Map([...outputs].map(([name, output]) => [name, output.text(declarations.aboutOf(entries[name]))]));
}

const keyOf = ({ file, name }) => `${file} ${name}`;
const isSame = (one, other) => one.file === other.file && one.name === other.name;

class Declarations {
  #files;
  #known;
  #modules = new Map();

  constructor(files, known) {
    this.#files = files;
    this.#known = known;
  }

  #read(file) {
    const before = this.#modules.get(file);
    if (before !== undefined) return before;
    const text = this.#files.get(file);
    if (text === undefined) throw new Error(`${file} is mentioned, and was not declared`);
    const module = readDeclared(file, text);
    this.#modules.set(file, module);
    return module;
  }

  aboutOf(file) {
    return file === undefined ? "/** What several entries of the package have. */" : this.#read(file).about;
  }

  of({ file, name }) {
    return this.#read(file).declared.get(name);
  }

  /** Where a name of a file is declared: { file, name }, { from, name } of another package, or { space } for all of a file. */
  #find(file, name) {
    const known = this.#known.get(`${file} ${name}`);
    if (known !== undefined) return known;
    const module = this.#read(file);
    if (module.declared.has(name)) return { file, name };
    const origin = module.imports.get(name) ?? module.exports.get(name);
    if (origin !== undefined) {
      if (origin.from !== undefined) return origin;
      return origin.name === "*" ? { space: origin.file } : this.#find(origin.file, origin.name);
    }
    for (const whole of module.wholes) {
      const found = this.#find(whole, name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Everything that a file exports: the name, and where it is declared. */
  exportsOf(file) {
    const { declared, exported, exports, wholes } = this.#read(file);
    const own = [...exported].filter((name) => declared.has(name));
    const found = [...own, ...exports.keys()].map((as) => ({ as, place: this.#find(file, as) }));
    const missing = found.find(({ place }) => place === undefined);
    if (missing !== undefined) throw new Error(`${file} exports ${missing.as}, which nothing declares`);
    return [...found, ...wholes.flatMap((whole) => this.exportsOf(whole))];
  }

  /** What a declaration mentions, by the word that stands for it. */
  mentionsOf({ file, name }) {
    const found = new Map();
    for (const { words, imported } of this.#read(file).declared.get(name)) {
      for (const word of words) {
        const place = word === name ? undefined : this.#find(file, word);
        if (place !== undefined) found.set(word, place);
      }
      for (const [text, target] of imported) {
        const place = this.#find(target.file, target.name);
        if (place === undefined) throw new Error(`${file} mentions ${text}, which nothing declares`);
        found.set(text, place);
      }
    }
    for (const [word, { space }] of found)
      if (space !== undefined) throw new Error(`${file} mentions ${word}, a whole file; only entries may export one`);
    return found;
  }
}

/** Which entries need which declaration, in the order in which they are met. Members of a space are printed in it. */
function usersOf(declarations, shown) {
  const users = new Map();
  for (const [entry, list] of shown) {
    const need = (place) => {
      if (place.from !== undefined) return;
      const found = users.get(keyOf(place)) ?? Object.assign(new Set(), { place });
      if (found.has(entry)) return;
      users.set(keyOf(place), found.add(entry));
      for (const mentioned of declarations.mentionsOf(place).values()) need(mentioned);
    };
    for (const { place } of list) {
      if (place.space === undefined) need(place);
      else
        for (const { place: member } of declarations.exportsOf(place.space))
          for (const mentioned of declarations.mentionsOf(member).values()) need(mentioned);
    }
  }
  return users;
}

/** Names are those of the sources, and those under which entries export. What would hide another gets a number. */
function namesOf(places, shown, homeOf) {
  const names = new Map();
  const taken = new Map([...shown.keys(), shared].map((name) => [name, new Set()]));
  const isTaken = (home, name) =>
    home === shared
      ? [...taken.values()].some((set) => set.has(name))
      : taken.get(home).has(name) || taken.get(shared).has(name);
  const give = (place, name) => {
    names.set(keyOf(place), name);
    taken.get(homeOf(place)).add(name);
  };
  for (const list of shown.values())
    for (const { as, place } of list) if (place.file !== undefined && !names.has(keyOf(place))) give(place, as);
  for (const place of places) {
    if (names.has(keyOf(place))) continue;
    let name = place.name;
    for (let count = 1; isTaken(homeOf(place), name); count++) name = `${place.name}${count}`;
    give(place, name);
  }
  return names;
}

/** A namespace, which is how declarations say `export * as name`. */
function printSpace(name, members) {
  const lines = members.flat().map(({ doc, text }) => indented(`${doc}${text.replace(/^declare /, "")}`));
  return `export declare namespace ${name} {\n${lines.join("")}}\n`;
}

const indented = (text) => text.replace(/^(?=.)/gm, "    ");

class Output {
  statements = [];
  /** Names of the shared file that it mentions, and those that it exports. */
  shared = new Set();
  passed = [];
  #imported = new Map();

  importName(from, name) {
    // A name of a module as a whole: "types.Pod".
    const list = this.#imported.get(from) ?? new Set();
    this.#imported.set(from, list.add(name));
    return name;
  }

  text(about) {
    const list = (names) => [...names].sort().join(", ");
    const imports = [...this.#imported].map(([from, names]) => {
      const whole = [...names].find((name) => name.includes("."));
      // Without the types of Node, such a type is `any` and no error.
      const isOfNode = from.startsWith("node:");
      return whole === undefined
        ? `${isOfNode ? "// @ts-ignore\n" : ""}import type { ${list(names)} } from "${from}";\n`
        : `import type * as ${whole.split(".")[0]} from "${from}";\n`;
    });
    if (this.shared.size > 0) imports.push(`import type { ${list(this.shared)} } from "./${shared}.js";\n`);
    if (this.passed.length > 0) {
      const names = this.passed.map(({ name, as }) => (name === as ? name : `${name} as ${as}`));
      imports.push(`export { ${list(names)} } from "./${shared}.js";\n`);
    }
    return `${about}\n${imports.join("")}${this.statements.join("")}export {};\n`;
  }
}
