/** The values of a secret as the texts that they stand for. */

import { type Json, part, text } from "../server/json.ts";
import { decodedValue } from "../state/secret-values.ts";
import { CopyButton } from "./copy-button.tsx";
import { ListTable } from "./list-table.tsx";

export function SecretValues({ secret }: { readonly secret: Json }) {
  const data = part(secret, "data");
  const keys = Object.keys(data);
  if (keys.length === 0) return null;
  return (
    <ListTable
      label="Decoded values"
      caption="Decoded values"
      items={keys}
      keyOf={(key) => key}
      columns={[
        { name: "Key", cell: (key) => <bdi>{key}</bdi> },
        {
          name: "Value",
          cell: (key) => {
            const { value, bytes } = decodedValue(text(data, key));
            return value === undefined ? (
              <small>{bytes} bytes that are not text</small>
            ) : (
              <pre class="value">{value}</pre>
            );
          },
        },
        {
          name: "Copy",
          cell: (key) => {
            const { value } = decodedValue(text(data, key));
            return value === undefined ? "" : <CopyButton text={value} label={`Copy ${key}`} />;
          },
        },
      ]}
    />
  );
}
