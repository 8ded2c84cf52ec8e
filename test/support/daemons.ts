/** Ways in which a process leaves those who started it, as shell scripts that print its number. It ends by itself some day. */

const LAST = "echo \\$\\$; exec sleep 300 </dev/null >/dev/null 2>&1"
const DEAF = `trap '' TERM HUP INT; ${LAST}`

/** Stays in the group, and ignores SIGTERM. */
export const inGroup = `sh -c "${DEAF}" &`
/** A session of its own; its parent lives on. */
export const ownSession = `setsid sh -c "${DEAF}" &`
/** A session of its own, nothing of its environment, and whoever runs this script as its parent. */
export const withoutEnvironment = `exec setsid env -i /bin/sh -c "${DEAF}"`
/** A session of its own, and a parent that is gone. */
export const doubleFork = `(setsid sh -c "${DEAF}" &)`
/** The same, and goes when it is told to. */
export const politeDoubleFork = `(setsid sh -c "${LAST}" &)`
