/** The fields of a YAML text as a form, by the schema of its kind: what is changed here is changed in the text. */

import { useMemo } from "preact/hooks";
import type { Described } from "../state/completion.ts";
import { documentsIn } from "../state/documents.ts";
import { type FormField, formOf, withField } from "../state/form-fields.ts";
import { yamlLines } from "../state/yaml-lines.ts";

interface YamlFormOptions {
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Undefined: the schemas are not there yet, or the server has none. */
  readonly described: Described | undefined;
}

export function YamlForm({ value, onChange, described }: YamlFormOptions) {
  const { lines, document, groups } = useMemo(() => {
    const lines = yamlLines(value);
    const [document] = documentsIn(value, lines);
    const schema = document && described?.schemaOf(document);
    if (document === undefined || described === undefined || schema === undefined)
      return { lines, document, groups: [] };
    return { lines, document, groups: formOf(document, described.schemas, schema) };
  }, [value, described]);
  const change = (field: FormField, next: string) => {
    const text = document && withField(lines, document, field, next);
    if (text !== undefined) onChange(text);
  };
  return (
    <section class="form" aria-label="Form">
      {groups.length === 0 && (
        <p class="note">
          {described === undefined
            ? "The fields appear when the schemas of the server are read."
            : "The server does not describe this kind, or the text has none yet."}
        </p>
      )}
      {groups.map(({ title, fields }) => (
        <fieldset key={title}>
          <legend>
            <code>{title || "object"}</code>
          </legend>
          {fields.map((field) => (
            <FormRow key={field.path.join("\n")} field={field} onChange={(next) => change(field, next)} />
          ))}
        </fieldset>
      ))}
    </section>
  );
}

interface FormRowOptions {
  readonly field: FormField;
  readonly onChange: (value: string) => void;
}

function FormRow({ field: { field, value, isEditable }, onChange }: FormRowOptions) {
  const options = field.type === "boolean" ? ["true", "false"] : field.values;
  const isListed = options.length > 0 && (value === "" || options.includes(value));
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: one of the three is inside
    <label title={field.description || undefined}>
      <span class="name">
        <bdi>{field.name}</bdi>
        {field.isRequired && <span class="required"> required</span>}
      </span>
      {!isEditable ? (
        <small>in the text</small>
      ) : isListed ? (
        <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="" />
          {options.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : (
        <input
          value={value}
          inputMode={field.type === "integer" ? "numeric" : undefined}
          spellcheck={false}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </label>
  );
}
