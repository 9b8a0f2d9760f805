/** A difference in unified form, with its signs and colours. */

const classes: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "place" };

export function DiffView({ diff }: { readonly diff: string }) {
  const lines = diff.split("\n").map((line, at) => ({ line, at }));
  return (
    <pre class="diff">
      {lines.map(({ line, at }) => (
        <span key={at} class={classes[line[0] ?? ""]}>
          {line}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
