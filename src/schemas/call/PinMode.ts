/** What is done about a tool whose definition is not the one that was approved. */

/** `off`: nothing is kept. `warn`: what changed is reported and works. `block`: it does not work until it is approved. */
export const PIN_MODES = ["off", "warn", "block"] as const
/**
 * What is done about a tool whose definition is not the one that was approved: it is withheld (`block`), told of
 * (`warn`), or not noticed (`off`).
 */
export type PinMode = (typeof PIN_MODES)[number]
