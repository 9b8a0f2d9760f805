/** The draft that a user edits: the text of one object or list, in YAML or JSON, and how it is parsed. */

import { decodeYaml } from "../../machinery/codec/yaml.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import type { Context } from "../context.ts";
import { edit, openDraftFile, readDraft, removeDraft } from "../editor.ts";
import { CtlError } from "../errors.ts";
import { prettyJson } from "../go-json.ts";
import { isJson, isSame, type Json } from "../json.ts";

export interface Draft {
  readonly file: string;
  /**
   * Resolves when the user has left the editor, with a function that parses the text; undefined: nothing was changed.
   */
  edit(): Promise<(() => Json) | undefined>;
  remove(): void;
}

const advice = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. What the server refuses is shown in the terminal,
# and this file is kept until it is saved.
#
`;

export function openDraft(context: Context, shown: Json): Draft {
  const isJsonFormat = context.flags.output === "json";
  const plain = isJsonFormat ? prettyJson(shown) : advice + encodeYaml(shown);
  const { flags } = context;
  const isWindows = flags["windows-line-endings"] === true;
  const file = openDraftFile(isWindows ? plain.replaceAll("\n", "\r\n") : plain, isJsonFormat ? "json" : "yaml");
  return {
    file,
    async edit() {
      const before = readDraft(file);
      try {
        await edit(file, context.environment);
      } catch (error) {
        if (readDraft(file) === before) removeDraft(file);
        else context.say(`your draft is in ${file}`);
        throw error;
      }
      const after = readDraft(file);
      const content = after.replaceAll("\r\n", "\n").replaceAll(/^#.*$/gm, "").trim();
      if (content === "") {
        removeDraft(file);
        throw new CtlError("Edit cancelled, saved file was empty.", { isBare: true });
      }
      const isSameText = after === before || isSame(parsed(content), shown);
      if (isSameText) removeDraft(file);
      return isSameText ? undefined : () => parse(content);
    },
    remove: () => removeDraft(file),
  };
}

function parsed(content: string): unknown {
  try {
    return decodeYaml(Buffer.from(content));
  } catch {
    return undefined; // reported when it is parsed for saving
  }
}

function parse(content: string): Json {
  const value = decodeYaml(Buffer.from(content));
  if (!isJson(value)) throw new CtlError("the object must be a mapping");
  return value;
}
