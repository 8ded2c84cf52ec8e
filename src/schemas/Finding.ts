/** Something suspicious in what a server sent. Findings are reported; content is never altered for a `pattern`. */
export interface Finding {
  readonly kind: "pattern" | "hiddenUnicode" | "ansi" | "control" | "forgedMarker" | "specialToken" | "secretEcho"
  /** Which pattern, or what was removed. Our own words, never the server's. */
  readonly detail: string
  /** How often. */
  readonly count: number
}

/** Where content came from; travels with every result. */
export interface Origin {
  readonly server: string
  readonly tool?: string
  readonly uri?: string
}
