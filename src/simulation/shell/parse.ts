/** Reads a script: lists of commands, pipes, redirection, `if`, `while`, `until`, `for`, `case`, groups and functions. */

import { scriptCharsMax } from "./limits.ts";
import { type Cursor, NotUnderstood, nested, parseWord } from "./parse-word.ts";
import { ScriptReader } from "./script-reader.ts";
import {
  type AndOr,
  type Assignment,
  type CommandList,
  type CommandPipeline,
  literalOf,
  type Redirect,
  type ShellCommand,
  type SimpleCommand,
  type Word,
} from "./syntax.ts";

/** Throws NotUnderstood. */
export function parseScript(text: string): CommandList {
  if (text.length > scriptCharsMax) throw new NotUnderstood(`a script may have ${scriptCharsMax} characters`);
  return parseTo({ text, at: 0, depth: 0 }, "");
}

/** Up to `end`, ")" of `$(…)`; "": the whole text. */
function parseTo(cursor: Cursor, end: string): CommandList {
  const parser = new Parser(cursor, parseTo);
  const list = parser.list([]);
  if (end === "" ? cursor.at < cursor.text.length : cursor.text[cursor.at] !== end)
    throw new NotUnderstood(`unexpected "${cursor.text.slice(cursor.at, cursor.at + 10)}"`);
  cursor.at += end.length;
  parser.assertNoWaitingText();
  return list;
}

/** Words that other shells know. */
const unknownWords = ["[[", "((", "select", "function", "time", "coproc"];

class Parser extends ScriptReader {
  /** Up to one of the reserved words, which is not consumed, or to what no command begins with. */
  list(ends: readonly string[]): CommandList {
    const items: { andOr: AndOr; isBackground: boolean }[] = [];
    for (;;) {
      this.skipLines();
      const word = this.peekReserved();
      if (this.isAtEnd() || (word !== undefined && ends.includes(word))) break;
      if (this.char() === ";" || this.char() === "&") break;
      const andOr = this.#andOr();
      const separator = this.char();
      const isBackground = separator === "&" && this.char(1) !== "&";
      items.push({ andOr, isBackground });
      if (isBackground || (separator === ";" && this.char(1) !== ";")) this.cursor.at++;
      else if (separator !== "\n") break;
    }
    return { items };
  }

  assertNoWaitingText(): void {
    if (this.waiting.length > 0) throw new NotUnderstood("the text of << is missing");
  }

  #andOr(): AndOr {
    const first = this.#pipeline();
    const rest: { operator: "&&" | "||"; pipeline: CommandPipeline }[] = [];
    for (;;) {
      this.skipBlanks();
      const operator = this.starts("&&") ? "&&" : this.starts("||") ? "||" : undefined;
      if (operator === undefined) return { first, rest };
      this.cursor.at += 2;
      this.skipLines();
      rest.push({ operator, pipeline: this.#pipeline() });
    }
  }

  #pipeline(): CommandPipeline {
    let isNegated = false;
    while (this.peekReserved() === "!") {
      this.take("!");
      this.skipBlanks();
      isNegated = !isNegated;
    }
    const commands = [this.#command()];
    for (;;) {
      this.skipBlanks();
      if (this.char() !== "|" || this.char(1) === "|") return { isNegated, commands };
      if (this.char(1) === "&") throw new NotUnderstood("|& is not understood");
      this.cursor.at++;
      this.skipLines();
      commands.push(this.#command());
    }
  }

  #command(): ShellCommand {
    this.skipBlanks();
    return nested(this.cursor, () => {
      const command = this.#compound() ?? this.#simple();
      if (command.at === "simple" || command.at === "function") return command;
      return { ...command, redirects: this.#redirects() };
    });
  }

  /** Undefined: a simple command begins here. */
  #compound(): ShellCommand | undefined {
    const redirects: Redirect[] = [];
    if (this.char() === "(") {
      if (this.char(1) === "(") throw new NotUnderstood("((…)) is not understood");
      this.cursor.at++;
      const body = this.#body([]);
      if (this.char() !== ")") throw new NotUnderstood('")" is missing');
      this.cursor.at++;
      return { at: "subshell", body, redirects };
    }
    switch (this.peekReserved()) {
      case undefined:
        return undefined;
      case "{": {
        this.take("{");
        const body = this.#body(["}"]);
        this.take("}");
        return { at: "group", body, redirects };
      }
      case "if":
        return this.#if();
      case "while":
      case "until": {
        const isUntil = this.peekReserved() === "until";
        this.take(isUntil ? "until" : "while");
        const condition = this.#body(["do"]);
        return { at: "while", isUntil, condition, body: this.#loopBody(), redirects };
      }
      case "for":
        return this.#for();
      case "case":
        return this.#case();
      default:
        throw new NotUnderstood(`unexpected "${this.peekReserved()}"`);
    }
  }

  #if(): ShellCommand {
    const branches: { condition: CommandList; body: CommandList }[] = [];
    let otherwise: CommandList | undefined;
    this.take("if");
    for (;;) {
      const condition = this.#body(["then"]);
      this.take("then");
      branches.push({ condition, body: this.#body(["elif", "else", "fi"]) });
      if (this.peekReserved() !== "elif") break;
      this.take("elif");
    }
    if (this.peekReserved() === "else") {
      this.take("else");
      otherwise = this.#body(["fi"]);
    }
    this.take("fi");
    return { at: "if", branches, otherwise, redirects: [] };
  }

  #for(): ShellCommand {
    this.take("for");
    this.skipBlanks();
    const name = literalOf(this.#word() ?? []);
    if (name === undefined || !/^[A-Za-z_]\w*$/.test(name)) throw new NotUnderstood("for needs the name of a variable");
    this.skipLines();
    let words: Word[] | undefined;
    if (this.peekReserved() === "in") {
      this.take("in");
      words = this.#words();
    }
    this.skipBlanks();
    if (this.char() === ";") this.cursor.at++;
    this.skipLines();
    return { at: "for", name, words, body: this.#loopBody(), redirects: [] };
  }

  #loopBody(): CommandList {
    this.take("do");
    const body = this.#body(["done"]);
    this.take("done");
    return body;
  }

  #case(): ShellCommand {
    this.take("case");
    this.skipBlanks();
    const word = this.#word();
    if (word === undefined) throw new NotUnderstood("case needs a word");
    this.skipLines();
    this.take("in");
    const branches: { patterns: Word[]; body: CommandList }[] = [];
    for (this.skipLines(); this.peekReserved() !== "esac"; this.skipLines()) {
      if (this.char() === "(") this.cursor.at++;
      const patterns: Word[] = [];
      for (;;) {
        this.skipBlanks();
        const pattern = this.#word();
        if (pattern === undefined) throw new NotUnderstood("case needs patterns");
        patterns.push(pattern);
        this.skipBlanks();
        if (this.char() !== "|") break;
        this.cursor.at++;
      }
      if (this.char() !== ")") throw new NotUnderstood('")" is missing');
      this.cursor.at++;
      branches.push({ patterns, body: this.list(["esac"]) });
      if (this.starts(";;")) this.cursor.at += 2;
      else if (this.peekReserved() !== "esac") throw new NotUnderstood('";;" is missing');
    }
    this.take("esac");
    return { at: "case", word, branches, redirects: [] };
  }

  #simple(): ShellCommand {
    const assignments: Assignment[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      this.skipBlanks();
      const redirect = this.#redirect();
      if (redirect !== undefined) {
        redirects.push(redirect);
        continue;
      }
      const assignment = words.length === 0 ? this.#assignment() : undefined;
      if (assignment !== undefined) {
        assignments.push(assignment);
        continue;
      }
      const word = this.#word();
      if (word === undefined) break;
      words.push(word);
      if (words.length === 1 && this.char() === "(" && this.char(1) === ")") return this.#function(word);
    }
    const name = literalOf(words[0] ?? []);
    if (name !== undefined && unknownWords.includes(name)) throw new NotUnderstood(`${name} is not understood`);
    if (assignments.length + words.length + redirects.length === 0)
      throw new NotUnderstood(`unexpected "${this.cursor.text.slice(this.cursor.at, this.cursor.at + 10)}"`);
    const simple: SimpleCommand = { at: "simple", assignments, words, redirects };
    return simple;
  }

  #function(word: Word): ShellCommand {
    const name = literalOf(word);
    if (name === undefined || !/^[A-Za-z_]\w*$/.test(name)) throw new NotUnderstood("a function needs a name");
    this.cursor.at += 2;
    this.skipLines();
    return { at: "function", name, body: this.#command(), redirects: [] };
  }

  #assignment(): Assignment | undefined {
    const found = /[A-Za-z_]\w*=/y;
    found.lastIndex = this.cursor.at;
    const name = found.exec(this.cursor.text)?.[0];
    if (name === undefined) return undefined;
    this.cursor.at += name.length;
    if (this.char() === "(") throw new NotUnderstood("lists in variables are not understood");
    return { name: name.slice(0, -1), value: this.#word() ?? [] };
  }

  #redirects(): Redirect[] {
    const redirects: Redirect[] = [];
    for (;;) {
      this.skipBlanks();
      const redirect = this.#redirect();
      if (redirect === undefined) return redirects;
      redirects.push(redirect);
    }
  }

  #redirect(): Redirect | undefined {
    const found = /(\d?)(<<-?|>>|>&|<&|&>>?|>\||<>|[<>])/y;
    found.lastIndex = this.cursor.at;
    const [whole, digit = "", sign = ""] = found.exec(this.cursor.text) ?? [];
    if (whole === undefined) return undefined;
    if (["<&", "&>", "&>>", "<>"].includes(sign)) throw new NotUnderstood(`${sign} is not understood`);
    this.cursor.at += whole.length;
    this.skipBlanks();
    if (this.char() === "(") throw new NotUnderstood("<(…) is not understood");
    const target = this.#word();
    if (target === undefined) throw new NotUnderstood(`${sign} needs a file`);
    const fd = digit === "" ? (sign.startsWith("<") ? 0 : 1) : Number(digit);
    if (fd > 2) throw new NotUnderstood("only the descriptors 0, 1 and 2 are understood");
    if (sign === "<<" || sign === "<<-") return this.#hereText(fd, target, sign === "<<-");
    if (sign === ">&" && !["1", "2"].includes(literalOf(target) ?? "")) throw new NotUnderstood(">& needs 1 or 2");
    const operator = sign === ">|" ? ">" : (sign as Redirect["operator"]); // the others are excluded above
    return { fd, operator, target };
  }

  #hereText(fd: number, ending: Word, stripsTabs: boolean): Redirect {
    const end = literalOf(ending);
    if (end === undefined) throw new NotUnderstood("<< needs a plain word");
    const redirect = { fd, operator: "<<" as const, target: [] as Word };
    this.waiting.push({
      end,
      stripsTabs,
      isPlain: ending.some((part) => part.at === "text" && part.quoted),
      set: (text) => {
        redirect.target = text;
      },
    });
    return redirect;
  }

  #words(): Word[] {
    const words: Word[] = [];
    for (;;) {
      this.skipBlanks();
      const word = this.#word();
      if (word === undefined) return words;
      words.push(word);
    }
  }

  #word(): Word | undefined {
    return parseWord(this.cursor, parseTo);
  }

  /** A list that must have a command. */
  #body(ends: readonly string[]): CommandList {
    const list = nested(this.cursor, () => this.list(ends));
    if (list.items.length === 0) throw new NotUnderstood("a command is missing");
    return list;
  }
}
