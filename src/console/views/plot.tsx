/** A line over time, with its latest value as text. */

export interface PlotOptions {
  readonly title: string;
  readonly values: readonly number[];
  readonly format: (value: number) => string;
}

const [width, height] = [240, 60];

export function Plot({ title, values, format }: PlotOptions) {
  const top = Math.max(...values, 0) || 1;
  const step = width / Math.max(values.length - 1, 1);
  const points = values.map(
    (value, at) => `${(at * step).toFixed(1)},${(height - (value / top) * (height - 4)).toFixed(1)}`,
  );
  const latest = values.length === 0 ? "…" : format(values.at(-1) ?? 0);
  return (
    <figure>
      <figcaption>
        <span>{title}</span> <strong>{latest}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" preserveAspectRatio="none" aria-label={`${title}: ${latest}`}>
        <polyline points={points.join(" ")} />
      </svg>
    </figure>
  );
}
