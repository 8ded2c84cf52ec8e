/** What happens to a tool whose definition differs from the approved one. */

/** `off`: nothing is stored. `warn`: changes are reported, and the tool works. `block`: it does not work until it is approved. */
export const PIN_MODES = ["off", "warn", "block"] as const
/**
 * What happens to a tool whose definition differs from the approved one: it is withheld (`block`), reported (`warn`), or not
 * noticed (`off`).
 */
export type PinMode = (typeof PIN_MODES)[number]
