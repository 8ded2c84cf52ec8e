/** A text exactly as a model reads it, with what servers said set apart from the runtime's own words. */
import { piecesOf } from "./pieces.ts"

export const ModelText = ({ label, text }: { readonly text: string; readonly label: string }) => {
  const pieces = piecesOf(text)
  return (
    <>
      {pieces.some(({ kind }) => kind === "theirs") ? (
        <p class="text-legend" aria-hidden="true">
          <span class="piece-boundary">boundary</span> <span class="piece-theirs">what a server said</span>
        </p>
      ) : null}
      <pre class="model-text" tabIndex={0} aria-label={label} role="group">
        {pieces.map(({ from, kind, side, text: part }, i) => (
          <span key={i} class={`piece-${kind}`} data-side={side}>
            {kind === "theirs" ? <span class="hidden-text">{`What ${from} said: `}</span> : null}
            {part}
          </span>
        ))}
      </pre>
    </>
  )
}
