/** A share of something as a bar, with the figures beside it. */

interface MeterOptions {
  readonly label: string;
  /** 0 to 1; more is full. */
  readonly share: number;
  /** "3 of 8". */
  readonly figures: string;
  /** Whether a full one is what is wanted, as of a rollout; default: it is something that is used up. */
  readonly isGoal?: boolean;
}

/** From here on a share is shown as scarce, and as used up. */
const [scarce, full] = [0.8, 1];

function toneOf(share: number, isGoal: boolean): string {
  if (isGoal) return share >= full ? "is-healthy" : "is-progressing";
  if (share >= full) return "is-failing";
  return share >= scarce ? "is-progressing" : "";
}

export const Meter = ({ label, share, figures, isGoal = false }: MeterOptions) => (
  <div class="meter">
    <span class="meter-label">
      <bdi>{label}</bdi>
    </span>
    <span class="meter-figures">{figures}</span>
    <span class={`meter-bar ${toneOf(share, isGoal)}`} aria-hidden="true">
      <span style={{ width: `${Math.min(Math.max(share, 0), 1) * 100}%` }} />
    </span>
  </div>
);
