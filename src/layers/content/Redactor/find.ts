/**
 * Finds known values in a text: their forms, forms that appear when escapes are undone, and lists of their bytes. Positions
 * always refer to the given text.
 */
import { SECRET_ESCAPES_DEEP, SECRET_MASK_MIN_CHARS } from "../../../schemas/defaults/Secrets.ts"
import { type Base, beginningsOf, listAt } from "./byteLists.ts"
import type { Place } from "./spans.ts"
import * as Search from "./search.ts"
import * as Unescape from "./unescape.ts"
import type { Variants } from "./variants.ts"
import type { View } from "./decodedView.ts"
import { hasRunOfNothing, windowsOf } from "./windows.ts"

export interface Finder<A> {
  /** Adds the forms of a value for `of`; two values may share a form. */
  readonly add: (variants: Variants, of: A) => void
  /** Every place that stands for a wanted value; of several that begin together, the longest. */
  readonly find: (text: string, wanted: Wanted<A>) => ReadonlyArray<Place>
  /** The same window by window; a place in two windows is returned twice. */
  readonly turns: (text: string, wanted: ReadonlyArray<Wanted<A>>) => Generator<Turn>
}

export type Wanted<A> = (of: ReadonlyArray<A>) => boolean

/** The places in one window. */
export interface Turn {
  /** For each wanted set; the later sets are only searched if the first has a match. */
  readonly places: ReadonlyArray<ReadonlyArray<Place>>
  /** No place before this position will follow. */
  readonly settled: number
}

interface Form<A> {
  of: ReadonlyArray<A>
  /** Set when a byte list begins like this. */
  list: Base | undefined
}

export const make = <A>(): Finder<A> => {
  const search = Search.make<Form<A>>(SECRET_MASK_MIN_CHARS)
  const unescape = Unescape.make()

  const formOf = (text: string) => search.add(text, () => ({ of: [], list: undefined }))

  /** The longest possible form of a known value, without runs of ignorable characters. */
  let reach = 0
  /** Whether a value contains such a run. */
  let isDense = false

  const add = ({ all, listed, plain, reach: own }: Variants, of: A) => {
    reach = Math.max(reach, own)
    isDense ||= plain.some(hasRunOfNothing)
    const alone = [of]
    for (const text of all) {
      const form = formOf(text)
      if (form.of.length === 0) form.of = alone
      else if (!form.of.includes(of)) form.of = [...form.of, of]
    }
    plain.forEach(unescape.expect)
    for (const bytes of listed) {
      for (const [text, base] of beginningsOf(bytes, SECRET_MASK_MIN_CHARS)) {
        if (text.length === SECRET_MASK_MIN_CHARS) formOf(text).list = base
      }
    }
  }

  const findWithin = (text: string, wanted: Wanted<A>, deep: number): ReadonlyArray<Place> => {
    const isWanted = ({ of }: Form<A>) => of.length > 0 && wanted(of)
    const places: Array<Place> = []
    const findIn = ({ origin, text: part }: View) => {
      for (const { end, start } of findWithin(part, wanted, deep - 1)) places.push(origin(start, end))
    }
    const listsEnd: Record<Base, number> = { hex: 0, decimal: 0 }
    for (const { end, of, start } of search.find(text, (form) => form.list !== undefined || isWanted(form))) {
      if (isWanted(of)) places.push({ start, end })
      if (of.list === undefined || start < listsEnd[of.list] || deep < 0) continue
      const list = listAt(text, start, of.list)
      listsEnd[of.list] = list.end
      findIn(list.view)
    }
    if (deep > 0) unescape.viewsOf(text).forEach(findIn)
    return places
  }

  const find = (text: string, wanted: Wanted<A>) =>
    search.isEmpty() ? [] : findWithin(text, wanted, SECRET_ESCAPES_DEEP)

  return {
    add,
    find,
    turns: function* (text, wanted) {
      if (search.isEmpty()) return
      for (const { origin, settled, text: part } of windowsOf(text, reach, isDense)) {
        let isThere = true
        const places = wanted.map((one) => {
          const found = isThere ? find(part, one) : []
          isThere &&= found.length > 0
          return found.map(({ end, start }) => origin(start, end))
        })
        yield { places, settled }
      }
    }
  }
}
