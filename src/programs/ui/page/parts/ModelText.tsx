/** A text exactly as a model reads it, with what servers said set apart from the runtime's own words. */
import { piecesOf } from "./pieces.ts"

export const ModelText = ({ label, text }: { readonly text: string; readonly label: string }) => (
  <pre class="model-text" tabIndex={0} aria-label={label} role="region">
    {piecesOf(text).map(({ from, kind, side, text: part }, i) => (
      <span key={i} class={`piece-${kind}`} data-side={side}>
        {kind === "theirs" ? <span class="hidden-text">{`What ${from} said: `}</span> : null}
        {part}
      </span>
    ))}
  </pre>
)
