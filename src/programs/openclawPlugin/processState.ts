/** The one running instance in a process: the first copy of the plugin that needs it starts it. */
import type { Settings } from "./settings.ts"
import { sharedState } from "./sharedState.ts"

export interface Closable {
  readonly close: () => Promise<void>
}

interface Opened<A> {
  readonly key: string
  readonly running: Promise<A>
  /** The running instance, once it has started. */
  value?: A
}

interface State<A> {
  opened: Opened<A> | undefined
  /** Resolves when everything that was stopped before has ended. */
  closing: Promise<void>
  /** The gateway is shutting down: nothing is started any more. */
  stopped: boolean
  /** The plugin whose stop counts: when one is replaced, the one that started last. */
  owner: symbol | undefined
}

export class Stopping extends Error {
  override readonly message = "the gateway is stopping"
}

const stateOf = <A>(): State<A> =>
  sharedState("running", () => ({ opened: undefined, closing: Promise.resolve(), stopped: false, owner: undefined }))

const close = <A extends Closable>(state: State<A>): Promise<void> => {
  const { opened } = state
  if (opened !== undefined) {
    state.opened = undefined
    // An instance that failed to start has nothing to close.
    const ended = opened.running.then((running) => running.close()).catch(() => undefined)
    state.closing = Promise.all([state.closing, ended]).then(() => undefined)
  }
  return state.closing
}

/** The instance for these settings; one with other settings is closed first. A failed start is tried again. */
export const acquire = <A extends Closable>({ key }: Settings, open: () => Promise<A>): Promise<A> => {
  const state = stateOf<A>()
  if (state.stopped) return Promise.reject(new Stopping())
  if (state.opened?.key === key) return state.opened.running
  const before = close(state)
  const running = before.then(open)
  const opened: Opened<A> = { key, running }
  state.opened = opened
  running.then(
    (value) => (opened.value = value),
    () => {
      if (state.opened === opened) state.opened = undefined
    }
  )
  return running
}

/** The running instance, if any; does not start one. */
export const present = <A extends Closable>({ key }: Settings): A | undefined => {
  const { opened } = stateOf<A>()
  return opened?.key === key ? opened.value : undefined
}

export const begin = (): symbol => {
  const state = stateOf()
  state.stopped = false
  return (state.owner = Symbol("owner"))
}

/** Closes everything; resolves when that is done. Without `owner`, regardless of who started it. */
export const end = (owner?: symbol): Promise<void> => {
  const state = stateOf<Closable>()
  if (owner !== undefined && owner !== state.owner) return state.closing
  state.stopped = true
  return close(state)
}
