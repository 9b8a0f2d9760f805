/** A short text field with its label in sight. */

interface FieldOptions {
  readonly label: string;
  /** What an empty field means. */
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export const Field = ({ label, hint, value, onChange }: FieldOptions) => (
  <label>
    {label}{" "}
    <input
      type="text"
      autocomplete="off"
      spellcheck={false}
      placeholder={hint}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  </label>
);
