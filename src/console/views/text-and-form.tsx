/** A YAML text, and beside it its fields as a form, for those who want one. */

import { useState } from "preact/hooks";
import { YamlEditor, type YamlEditorOptions } from "./yaml-editor.tsx";
import { YamlForm } from "./yaml-form.tsx";

const storedAs = "console-form";
/** Beside a narrower text there is no room for a form, unless somebody asks for it. */
const roomPx = 1_100;

export function TextAndForm(options: YamlEditorOptions) {
  const [isOpen, setOpen] = useState(() => (localStorage.getItem(storedAs) ?? String(innerWidth >= roomPx)) === "true");
  const toggle = () => {
    localStorage.setItem(storedAs, String(!isOpen));
    setOpen(!isOpen);
  };
  const { value, onChange, described } = options;
  return (
    <div class={isOpen ? "text-and-form with-form" : "text-and-form"}>
      <div class="form-head">
        <button type="button" aria-pressed={isOpen} onClick={toggle}>
          Form
        </button>
      </div>
      <YamlEditor {...options} />
      {isOpen && <YamlForm value={value} onChange={onChange} described={described} />}
    </div>
  );
}
