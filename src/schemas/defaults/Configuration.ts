/** Configurations and timers. Defaults and limits, with their units in the names. */

/** How long the program's own registry is waited for. */
export const CALLBACK_WAIT_MS = 10_000

/** The longest time of a timer; a longer one would fire at once. */
export const TIMER_MAX_MS = 2 ** 31 - 1
/** A larger configuration file is a mistake. */
export const CONFIG_MAX_BYTES = 4 * 1024 * 1024
/**
 * The most values in a configuration, including lists and objects: parsing them with the lines of their keys takes some
 * hundred bytes each.
 */
export const CONFIG_MAX_VALUES = 100_000
/** How long a command waits while another one edits the same file. */
export const EDIT_LOCK_WAIT_MS = 10_000
/** How often an edit is made again because another program has changed the file meanwhile. */
export const EDIT_TRIES_MAX = 5
