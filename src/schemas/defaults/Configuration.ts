/** Configurations and timers. Defaults and bounds, with their units in the names. */

/** How long a program's own registry is waited for. */
export const CALLBACK_WAIT_MS = 10_000

/** The longest time a timer can wait; a longer one would fire at once. */
export const TIMER_MAX_MS = 2 ** 31 - 1
/** A configuration file larger than this is a mistake. */
export const CONFIG_MAX_BYTES = 4 * 1024 * 1024
/** The same for its values, lists and objects among them: to parse them, with the lines of their keys, takes some hundred bytes for each. */
export const CONFIG_MAX_VALUES = 100_000
