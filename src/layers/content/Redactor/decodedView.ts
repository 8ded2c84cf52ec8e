/** A part of a text with some escapes undone, and the original position of each character. */

/** The kind of what is undone in every view. */
export const ALWAYS = 0

/**
 * Findings in a text, in order, in columns of numbers: a text may consist of nothing else, and an object for each would take
 * many times the memory of the text.
 */
export class Columns {
  size = 0
  starts = new Int32Array(64)
  ends = new Int32Array(64)
  /** The decoded character; -1 for none. */
  codes = new Int32Array(64)
  kinds = new Uint8Array(64)

  clear() {
    this.size = 0
  }

  push(start: number, end: number, code: number, kind = ALWAYS) {
    if (this.size === this.starts.length) this.#grow()
    // The last unit of a pair may be claimed twice.
    this.starts[this.size] = this.size === 0 ? start : Math.max(start, this.ends[this.size - 1]!)
    this.ends[this.size] = end
    this.codes[this.size] = code
    this.kinds[this.size++] = kind
  }

  #grow() {
    const enlarged = (column: Int32Array<ArrayBuffer>) => {
      const larger = new Int32Array(column.length * 2)
      larger.set(column)
      return larger
    }
    this.starts = enlarged(this.starts)
    this.ends = enlarged(this.ends)
    this.codes = enlarged(this.codes)
    const kinds = new Uint8Array(this.kinds.length * 2)
    kinds.set(this.kinds)
    this.kinds = kinds
  }
}

export interface View {
  readonly text: string
  /** The original span of the characters from `start` to `end` of this view. */
  readonly origin: (start: number, end: number) => { readonly start: number; readonly end: number }
}

const SHORT_UNITS = 32

/** Decodes everything of these kinds in a part that begins at `from`. */
export const viewOf = (part: string, found: Columns, kinds: number, from: number): View => {
  const units = new Uint16Array(part.length)
  Buffer.from(units.buffer).write(part, "utf16le")
  const isUndone = (index: number) => found.kinds[index] === ALWAYS || (found.kinds[index]! & kinds) !== 0
  let count = 0
  for (let index = 0; index < found.size; index++) if (isUndone(index)) count++
  /** For each escape: its position in the view, its original position, and its length. */
  const [places, starts, ends] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)]
  const lengths = new Uint8Array(count)

  // A decoded character is never longer than its escape, so the view is built in place.
  let [size, copied, last] = [0, 0, 0]
  const copyTo = (end: number) => {
    // A few units are copied faster by a loop.
    if (end - copied > SHORT_UNITS) {
      units.copyWithin(size, copied, end)
      size += end - copied
    } else for (let from = copied; from < end; from++) units[size++] = units[from]!
  }
  for (let index = 0; index < found.size; index++) {
    if (!isUndone(index)) continue
    const [start, code] = [found.starts[index]!, found.codes[index]!]
    copyTo(start)
    copied = found.ends[index]!
    places[last] = size
    starts[last] = start
    ends[last] = copied
    if (code > 0xffff) {
      units[size] = 0xd7c0 + (code >> 10)
      units[size + 1] = 0xdc00 | (code & 0x3ff)
      lengths[last] = 2
    } else if (code >= 0) {
      units[size] = code
      lengths[last] = 1
    }
    size += lengths[last++]!
  }
  copyTo(part.length)

  /** The last one that begins at or before a position; -1 for none. */
  const lastUpTo = (place: number) => {
    let [low, high] = [0, count]
    while (low < high) {
      const middle = (low + high) >> 1
      if (places[middle]! <= place) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  const locate = (place: number) => {
    const index = lastUpTo(place)
    if (index === -1) return { start: place, end: place + 1 }
    const beyond = place - places[index]! - lengths[index]!
    if (beyond < 0) return { start: starts[index]!, end: ends[index]! }
    const start = ends[index]! + beyond
    return { start, end: start + 1 }
  }

  return {
    text: Buffer.from(units.buffer, 0, size * 2).toString("utf16le"),
    origin: (start, end) => ({ start: from + locate(start).start, end: from + locate(end - 1).end })
  }
}
