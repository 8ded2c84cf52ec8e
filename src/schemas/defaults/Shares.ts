/** Shares of common things. Defaults and limits, with their units in the names. */

export interface ShareBounds {
  readonly burst: number
  readonly perHour: number
}

/** Lines in the audit log about the tools of one server: beyond that they are counted in one line. */
export const AUDIT_DEFINITIONS_SHARE: ShareBounds = { burst: 200, perHour: 60 }
