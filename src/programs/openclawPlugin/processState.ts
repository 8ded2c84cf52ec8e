/**
 * What is running, once for the process. OpenClaw evaluates the module of a plugin several times, from copies, and may call
 * the tool of one of them and the hooks of another: all of them find each other here, and whoever comes first starts it.
 */
import type { Settings } from "./settings.ts"

export interface Closable {
  readonly close: () => Promise<void>
}

interface Opened<A> {
  readonly key: string
  readonly running: Promise<A>
  /** The same, once it has been started. */
  value?: A
}

interface State<A> {
  opened: Opened<A> | undefined
  /** Resolves when everything that was stopped before has ended. */
  closing: Promise<void>
  /** Nothing is started any more: the gateway is on its way down. */
  stopped: boolean
  /** Whose stop counts: of a plugin that is replaced, the one that was started last. */
  owner: symbol | undefined
}

export class Stopping extends Error {
  override readonly message = "the gateway is stopping"
}

const KEY = Symbol.for("mcp-live/openclaw-plugin")

const stateOf = <A>(): State<A> => {
  const places = globalThis as { [KEY]?: State<A> }
  return (places[KEY] ??= { opened: undefined, closing: Promise.resolve(), stopped: false, owner: undefined })
}

const close = <A extends Closable>(state: State<A>): Promise<void> => {
  const { opened } = state
  if (opened !== undefined) {
    state.opened = undefined
    // One that could not be started has nothing to close.
    const ended = opened.running.then((running) => running.close()).catch(() => undefined)
    state.closing = Promise.all([state.closing, ended]).then(() => undefined)
  }
  return state.closing
}

/** What is running with these settings; what ran with others is closed first. One that could not be started is tried anew. */
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

/** What is running, if anything is, without starting it. */
export const present = <A extends Closable>({ key }: Settings): A | undefined => {
  const { opened } = stateOf<A>()
  return opened?.key === key ? opened.value : undefined
}

export const begin = (): symbol => {
  const state = stateOf()
  state.stopped = false
  return (state.owner = Symbol("owner"))
}

/** Everything ends; resolves when it has. Without an owner, whoever started it. */
export const end = (owner?: symbol): Promise<void> => {
  const state = stateOf<Closable>()
  if (owner !== undefined && owner !== state.owner) return state.closing
  state.stopped = true
  return close(state)
}
