/**
 * Clients that are let in no more while this runs. What they have open is closed at once, so that nothing more reaches them, and what is done for
 * them ends.
 */
import type { ServerResponse } from "node:http"
import type { Who } from "./tokens.ts"

/** What is kept for a client, with its calls and tasks, also while nobody waits for an answer. */
export interface Kept {
  readonly who: Who
  readonly end: () => void
}

export class Revoked {
  readonly #kept: () => ReadonlyArray<Kept>
  #now: ReadonlySet<string> = new Set()
  readonly #open = new Map<string, Set<ServerResponse>>()

  constructor(kept: () => ReadonlyArray<Kept>) {
    this.#kept = kept
  }

  has(principal: string): boolean {
    return this.#now.has(principal)
  }

  /** An answer to a client that is let in. */
  note(principal: string, response: ServerResponse): void {
    const open = this.#open.get(principal) ?? new Set()
    this.#open.set(principal, open.add(response))
    response.once("close", () => {
      open.delete(response)
      if (open.size === 0 && this.#open.get(principal) === open) this.#open.delete(principal)
    })
  }

  /** These, and no others. */
  become(now: ReadonlySet<string>): void {
    this.#now = now
    for (const principal of now) for (const response of this.#open.get(principal) ?? []) response.destroy()
    for (const { end, who } of this.#kept()) if (now.has(who.principal)) end()
  }
}
