/** Shares of what everybody uses. Defaults and bounds, with their units in the names. */

export interface ShareBounds {
  readonly burst: number
  readonly perHour: number
}

/** Lines of the audit log on what one server says of its tools: beyond, they are counted in one line. */
export const AUDIT_DEFINITIONS_SHARE: ShareBounds = { burst: 200, perHour: 60 }
