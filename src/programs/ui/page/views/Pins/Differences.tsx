/** What changed in a definition, in the instructions of its server, and in the way in which that is started. */
import { useMemo, useState } from "preact/hooks"
import type { Piece } from "../../../../../schemas/content/WordDiff.ts"
import type { PinsChange } from "../../../../../schemas/control/PinsChange.ts"
import { changedLines, type ChangedLine } from "../../text/changes.ts"
import { glyphsOfJson } from "../../text/marks.ts"
import { Glyphs } from "../../text/ServerText.tsx"

const PieceView = ({ piece: { kind, text } }: { readonly piece: Piece }) => {
  const glyphs = <Glyphs glyphs={glyphsOfJson(text)} />
  if (kind === "same") return glyphs
  const words = kind === "removed" ? "removed: " : "added: "
  const inside = (
    <>
      <span class="hidden-text">{words}</span>
      {glyphs}
      <span class="hidden-text"> end </span>
    </>
  )
  return kind === "removed" ? <del>{inside}</del> : <ins>{inside}</ins>
}

const LINES_MAX = 400

const Lines = ({ label, lines }: { readonly label: string; readonly lines: ReadonlyArray<ChangedLine> }) => {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? lines : lines.slice(0, LINES_MAX)
  return (
    <>
      <div class="diff" role="region" tabIndex={0} aria-label={label}>
        {shown.map((line, index) =>
          line.kind === "gap" ? (
            <p key={index} class="gap">
              {line.lines === 1 ? "1 line" : `${line.lines} lines`} without a change
            </p>
          ) : (
            <p key={index} data-changed={line.pieces.some(({ kind }) => kind !== "same")}>
              {line.pieces.map((piece, at) => (
                <PieceView key={at} piece={piece} />
              ))}
            </p>
          )
        )}
      </div>
      {lines.length > shown.length ? (
        <button type="button" onClick={() => setWhole(true)}>
          Show the other {lines.length - shown.length} lines
        </button>
      ) : null}
    </>
  )
}

export const Difference = (props: {
  /** What it is the difference of. */
  readonly of: string
  readonly title: string
  readonly before: string
  readonly after: string
  readonly isWhole?: boolean
}) => {
  const { after, before, isWhole = false, of, title } = props
  const lines = useMemo(() => changedLines(before, after, isWhole), [before, after, isWhole])
  return (
    <div class="difference">
      <p class="difference-title">{title}</p>
      <Lines label={`${of}: ${title}`} lines={lines} />
    </div>
  )
}

export const Launches = ({
  current,
  kept,
  of
}: {
  readonly of: string
  readonly kept: string
  readonly current: string
}) =>
  kept === current ? (
    <p class="notice" data-tone="warn">
      The server is started in another way than when its tools were approved. The difference is not shown: it is a
      credential or the value of a variable.
    </p>
  ) : (
    <Difference of={of} title="How the server is started" before={kept} after={current} />
  )

/** Of a definition that was never approved everything is new, and all of it is to be read. */
export const Differences = ({ change: { current, kept, shownTool } }: { readonly change: PinsChange }) => {
  if (current === undefined) return null
  const said = [kept?.instructions ?? "", current.instructions ?? ""] as const
  const isSame = kept !== undefined && kept.json === current.json && said[0] === said[1]
  return (
    <>
      {kept === undefined || said[0] === said[1] ? null : (
        <Difference of={shownTool} title="Instructions of the server" before={said[0]} after={said[1]} />
      )}
      {kept?.json === current.json ? null : (
        <Difference
          of={shownTool}
          title={kept === undefined ? "New definition" : "Definition"}
          // All of a new one is new, so nothing in it is marked.
          before={kept?.json ?? current.json}
          after={current.json}
          isWhole={kept === undefined}
        />
      )}
      {isSame ? (
        <p class="quiet">The difference is not stored: it is a known secret, or in a text that is too long to store.</p>
      ) : null}
    </>
  )
}
