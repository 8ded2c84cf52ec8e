/**
 * Caches a value that is derived from parts which seldom change, for all callers: computed again only when a part is another
 * object.
 */
export const ofSameParts = <A, B>(make: (parts: ReadonlyArray<A>) => B): ((parts: ReadonlyArray<A>) => B) => {
  let last: { readonly parts: ReadonlyArray<A>; readonly made: B } | undefined
  return (parts) => {
    const isSame = last?.parts.length === parts.length && parts.every((part, index) => part === last?.parts[index])
    if (last === undefined || !isSame) last = { parts, made: make(parts) }
    return last.made
  }
}
