/** The words of a server, as text: what is suspicious is marked, what cannot be seen is spelled out. */
import { useState } from "preact/hooks"
import { glyphsOf, stretchesOf, type Glyph, type Mark } from "./marks.ts"

export const Glyphs = ({ glyphs }: { readonly glyphs: ReadonlyArray<Glyph> }) => (
  <>
    {glyphs.map(({ text, unseen }, index) =>
      unseen === undefined ? (
        text
      ) : (
        <span key={index} class="unseen" title={unseen.name ?? "a character that cannot be seen"}>
          {unseen.code}
        </span>
      )
    )}
  </>
)

/** Longer texts are slow to draw. */
const SHOWN_MAX_CHARS = 100_000

const NO_MARKS: ReadonlyArray<Mark> = []

export const ServerText = (props: {
  readonly text: string
  readonly marks?: ReadonlyArray<Mark>
  /** Within a sentence of ours, or a name. */
  readonly isInline?: boolean
}) => {
  const { isInline = false, marks = NO_MARKS, text } = props
  const [isWhole, setWhole] = useState(false)
  const isLong = !isWhole && text.length > SHOWN_MAX_CHARS
  const shown = isLong ? text.slice(0, SHOWN_MAX_CHARS).replace(/[\ud800-\udbff]$/, "") : text
  const pieces = stretchesOf(shown, marks).map(({ text: stretch, words }, index) => {
    const glyphs = <Glyphs key={index} glyphs={glyphsOf(stretch)} />
    if (words.length === 0) return glyphs
    return (
      <mark key={index} title={words.join("; ")}>
        {glyphs}
        <span class="hidden-text"> ({words.join("; ")})</span>
      </mark>
    )
  })
  // `bdi`: a text that runs from right to left turns nothing around it.
  if (isInline) return <bdi>{pieces}</bdi>
  return (
    <>
      <p class="server-text" dir="auto">
        {pieces}
      </p>
      {isLong ? (
        <button type="button" onClick={() => setWhole(true)}>
          Show the other {text.length - shown.length} characters
        </button>
      ) : null}
    </>
  )
}
