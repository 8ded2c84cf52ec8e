/**
 * Newline-delimited framing: bytes in, lines out. Linear in the bytes (a line that comes in a thousand chunks is joined
 * once), exact across split characters, bounded: a line over the limit is skipped, not kept, and reported with its ends.
 */
export interface LineHandler {
  readonly onLine: (line: string) => void
  /** Head and tail of a line that was too long, enough to find out whose answer it was. */
  readonly onOversize: (head: string, tail: string) => void
}

const NEWLINE = 10
const HEAD_BYTES = 512
const TAIL_BYTES = 512

export interface LineReader {
  readonly push: (chunk: Buffer) => void
  /** Takes what has no line break for a last line. */
  readonly end: () => void
}

export const makeLineReader = (limitBytes: number, handler: LineHandler): LineReader => {
  let parts: Array<Buffer> = []
  let size = 0
  // Once a line is over the limit only its ends are kept.
  let head: Buffer | undefined
  let tail = Buffer.alloc(0)

  const keep = (piece: Buffer) => {
    if (piece.length === 0) return
    size += piece.length
    if (head === undefined && size <= limitBytes) {
      parts.push(piece)
      return
    }
    if (head === undefined) {
      const whole = Buffer.concat(parts)
      head = Buffer.from((whole.length >= HEAD_BYTES ? whole : Buffer.concat([whole, piece])).subarray(0, HEAD_BYTES))
      parts = []
    }
    tail = Buffer.from(Buffer.concat([tail, piece.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES))
  }

  const end = () => {
    if (head !== undefined) handler.onOversize(head.toString("utf8"), tail.toString("utf8"))
    else if (parts.length === 1) handler.onLine(parts[0]!.toString("utf8"))
    else if (parts.length > 1) handler.onLine(Buffer.concat(parts, size).toString("utf8"))
    parts = []
    size = 0
    head = undefined
    tail = Buffer.alloc(0)
  }

  const push = (chunk: Buffer) => {
    let start = 0
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
      // The common case: a whole line in one chunk is decoded in place.
      if (size === 0 && newline - start <= limitBytes) {
        if (newline > start) handler.onLine(chunk.toString("utf8", start, newline))
      } else {
        keep(chunk.subarray(start, newline))
        end()
      }
      start = newline + 1
    }
    keep(start === 0 ? chunk : chunk.subarray(start))
  }

  return { push, end }
}

/** The id of the request that an oversized line answers. Official servers write the id last, others first. */
export const answeredId = (head: string, tail: string): number | undefined => {
  const first = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*[,}]/.exec(head)
  const last = /"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail)
  const id = first?.[1] ?? last?.[1]
  return id === undefined ? undefined : Number(id)
}
