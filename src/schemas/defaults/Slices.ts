/** Work that is done in pieces. Defaults and bounds, with their units in the names. */

/** Of work on many things, before everybody else has their turn. */
export const SLICE_MS = 4
