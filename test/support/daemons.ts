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
/** The same with nothing of its environment: neither its parent nor its tag tell whose it is. */
export const doubleForkWithoutEnvironment = `(setsid env -i /bin/sh -c "${DEAF}" &)`
/** Ends at once, and leaves another one that does the same, so often; holds the file open that is named. */
export const comet = (file: string) => `
  C='N=$((N - 1)); [ $N -gt 0 ] && (setsid sh -c "$C" &)'; export C; export N=10000
  (trap '' TERM HUP INT; setsid sh -c "$C" </dev/null >"${file}" 2>&1 &); echo 0`
/** The same, and goes when it is told to. */
export const politeDoubleFork = `(setsid sh -c "${LAST}" &)`
