/**
 * The tools of the counted server. A client takes them in turns, so that the row of a call in the journal, which has no values, is known by its
 * client, its tool and its time.
 */
export const TURNS = 16

const turns = (name: string) => Array.from({ length: TURNS }, (_, turn) => `${name}_${turn}`)

export const TOOLS: ReadonlyArray<string> = [...turns("work"), ...turns("again")]

/** What the operator lets run twice. */
export const IDEMPOTENT = "counted/again_*"
