/** The sessions that are open, and those that are being opened: counted for each holder of a token, the longest unused first. */

interface OpenSession {
  readonly id: string
  readonly who: { readonly principal: string }
  readonly isInUse: boolean
}

interface Own<S> {
  /** The longest unused first. */
  readonly sessions: Map<string, S>
  opening: number
}

export class OpenSessions<S extends OpenSession> {
  readonly #all = new Map<string, S>()
  readonly #own = new Map<string, Own<S>>()
  #opening = 0

  /** With those that are being opened. */
  get count(): number {
    return this.#all.size + this.#opening
  }

  get all(): Iterable<S> {
    return this.#all.values()
  }

  countOf(principal: string): number {
    const own = this.#own.get(principal)
    return own === undefined ? 0 : own.sessions.size + own.opening
  }

  get(id: string): S | undefined {
    return this.#all.get(id)
  }

  add(session: S): void {
    this.#all.set(session.id, session)
    this.#ofHolder(session.who.principal).sessions.set(session.id, session)
  }

  /** It is the last one to give way. */
  used({ id, who: { principal } }: S): void {
    const own = this.#own.get(principal)
    const session = own?.sessions.get(id)
    if (own === undefined || session === undefined) return
    own.sessions.delete(id)
    own.sessions.set(id, session)
  }

  delete(id: string): void {
    const session = this.#all.get(id)
    if (session === undefined) return
    this.#all.delete(id)
    const { principal } = session.who
    const own = this.#own.get(principal)
    own?.sessions.delete(id)
    this.#forget(principal)
  }

  /** One is being opened, until what this returns is called. */
  opening(principal: string): () => void {
    this.#ofHolder(principal).opening++
    this.#opening++
    return () => {
      this.#ofHolder(principal).opening--
      this.#opening--
      this.#forget(principal)
    }
  }

  /** The one that its holder has not used for longest. */
  unused(principal: string): S | undefined {
    for (const session of this.#own.get(principal)?.sessions.values() ?? []) if (!session.isInUse) return session
    return undefined
  }

  #ofHolder(principal: string): Own<S> {
    const found = this.#own.get(principal)
    if (found !== undefined) return found
    const made: Own<S> = { sessions: new Map(), opening: 0 }
    this.#own.set(principal, made)
    return made
  }

  #forget(principal: string): void {
    const own = this.#own.get(principal)
    if (own !== undefined && own.sessions.size === 0 && own.opening === 0) this.#own.delete(principal)
  }
}
