/**
 * Splits a text as a model reads it at the boundaries around what servers said, so that a person sees which words are whose. What a server
 * says cannot end its own part early: a part ends only at the closing line with the id of its opening line.
 */

/** `ours`: the runtime's words. `boundary`: an opening or closing line, with the introduction. `theirs`: what a server said. */
export type PieceKind = "ours" | "boundary" | "theirs"

export interface Piece {
  readonly kind: PieceKind
  readonly text: string
  /** Of a boundary and of what is inside it: the server, and the tool or resource, as the introduction names them. */
  readonly from?: string
  /** Of a boundary: whether it opens or closes. */
  readonly side?: "opens" | "closes"
}

const OPENING = /<<<EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]+)">>>\n/
const HEADER_END = "\n---\n"

const closingOf = (id: string): string => `\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${id}">>>`

const named = (header: string, name: string): string | undefined =>
  new RegExp(`^${name}: ([^\\n]*)$`, "m").exec(header)?.[1]

const sourceOf = (header: string): string => {
  const what = named(header, "Tool") ?? named(header, "Resource")
  const server = named(header, "Server") ?? "a server"
  return what === undefined ? server : `${server}: ${what}`
}

/** Nothing is left out: the texts of the pieces, put together, are the whole text. */
export const piecesOf = (text: string): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  const add = (piece: Piece) => {
    if (piece.text !== "") pieces.push(piece)
  }
  let rest = text
  for (;;) {
    const opening = OPENING.exec(rest)
    const end = opening === null ? -1 : rest.indexOf(closingOf(opening[1]!), opening.index)
    const header = opening === null ? -1 : rest.indexOf(HEADER_END, opening.index)
    if (opening === null || end === -1 || header === -1 || header > end) {
      add({ kind: "ours", text: rest })
      return pieces
    }
    // An empty content stands between the line break of the header and that of the closing line, which may be the same one.
    const begin = Math.min(header + HEADER_END.length, end)
    const closed = end + closingOf(opening[1]!).length
    const from = sourceOf(rest.slice(opening.index, begin))
    add({ kind: "ours", text: rest.slice(0, opening.index) })
    add({ kind: "boundary", side: "opens", from, text: rest.slice(opening.index, begin) })
    add({ kind: "theirs", from, text: rest.slice(begin, end) })
    add({ kind: "boundary", side: "closes", from, text: rest.slice(end, closed) })
    rest = rest.slice(closed)
  }
}
