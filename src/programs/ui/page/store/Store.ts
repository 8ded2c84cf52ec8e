/**
 * What the page knows: signals that follow the gateway's one stream of events, and take it up again where it was left when the connection comes
 * back. One object for the whole page; components get it with `useStore`.
 */
import { batch, computed, signal, type ReadonlySignal } from "@preact/signals"
import type { ConfigState } from "../../../../schemas/config/ConfigState.ts"
import type { Hello } from "../../../../schemas/control/Control.ts"
import type { EventPosition, GatewayEvent, NumberedEvent } from "../../../../schemas/control/Events.ts"
import type { FiguresValue } from "../../../../schemas/control/FiguresValue.ts"
import type { PendingQuestion } from "../../../../schemas/control/Question.ts"
import type { StatusesValue } from "../../../../schemas/control/Values.ts"
import { type Gateway, type Link, wordsOf } from "./Gateway.ts"

export type Statuses = typeof StatusesValue.Type

/** How often what was heard is shown: more often, nobody sees. */
const SHOWN_EVERY_MS = 80
const AGAIN_MS = 1_000

/** So many times something has changed: whoever shows it asks anew when its number is another. */
export interface Revisions {
  readonly tools: number
  readonly pins: number
  /** Events were missed: everything may be different. */
  readonly all: number
}

export interface Store {
  readonly gateway: Gateway
  readonly link: ReadonlySignal<Link>
  readonly hello: ReadonlySignal<Hello | undefined>
  /** The login of the person has ended: nothing of theirs is shown any more. */
  readonly isOut: ReadonlySignal<boolean>
  /** Whether this page may change something. */
  readonly mayChange: ReadonlySignal<boolean>
  /** `undefined` until the gateway has said so. */
  readonly statuses: ReadonlySignal<Statuses | undefined>
  readonly figures: ReadonlySignal<FiguresValue>
  readonly questions: ReadonlySignal<ReadonlyArray<PendingQuestion>>
  readonly configuration: ReadonlySignal<ConfigState | undefined>
  readonly revisions: ReadonlySignal<Revisions>
  /** Why the events cannot be followed, though the gateway answers. */
  readonly trouble: ReadonlySignal<string | undefined>
  /** What views keep while they are not shown (`useKept`). */
  readonly kept: Map<string, unknown>
  /** Calls `told` with what was heard of one kind, several at a time. Returns how to end it. */
  readonly hear: <Tag extends GatewayEvent["_tag"]>(
    tag: Tag,
    told: (events: ReadonlyArray<Extract<GatewayEvent, { readonly _tag: Tag }>>) => void
  ) => () => void
}

export interface Timers {
  readonly later: (run: () => void, ms: number) => void
}

const realTimers: Timers = { later: (run, ms) => void setTimeout(run, ms) }

/** `startAnew` loads the page again, so that nothing is left of whoever had it before. */
export const makeStore = (
  gateway: Gateway,
  { later }: Timers = realTimers,
  startAnew: () => void = () => window.location.reload()
): Store => {
  const link = signal<Link>({ state: "connecting" })
  const hello = signal<Hello | undefined>(undefined)
  const statuses = signal<Statuses | undefined>(undefined)
  const figures = signal<FiguresValue>({})
  const questions = signal<ReadonlyArray<PendingQuestion>>([])
  const configuration = signal<ConfigState | undefined>(undefined)
  const revisions = signal<Revisions>({ tools: 0, pins: 0, all: 0 })
  const trouble = signal<string | undefined>(undefined)
  const listeners = new Map<string, Set<(events: ReadonlyArray<never>) => void>>()
  let position: EventPosition | undefined
  let heard: Array<GatewayEvent> = []
  let unfollow = () => {}

  const revise = (...names: ReadonlyArray<keyof Revisions>) => {
    const now = revisions.value
    revisions.value = { ...now, ...Object.fromEntries(names.map((name) => [name, now[name] + 1])) }
  }
  const apply = (event: GatewayEvent) => {
    if (event._tag === "Statuses") statuses.value = event.statuses
    else if (event._tag === "Figures") figures.value = event.figures
    else if (event._tag === "Questions") questions.value = event.questions
    else if (event._tag === "Configuration") configuration.value = event.state
    else if (event._tag === "Pins") revise("pins")
    else if (event._tag === "Tools") revise("tools")
    else if (event._tag === "Missed") revise("all", "tools", "pins")
  }
  const show = () => {
    const events = heard
    heard = []
    batch(() => {
      events.forEach(apply)
      for (const [tag, those] of Map.groupBy(events, ({ _tag }) => _tag)) {
        for (const told of listeners.get(tag) ?? []) told(those as unknown as ReadonlyArray<never>)
      }
    })
  }
  const take = ({ epoch, event, seq }: NumberedEvent) => {
    position = { epoch, seq }
    if (heard.length === 0) later(show, SHOWN_EVERY_MS)
    heard.push(event)
  }

  const greet = async () => {
    const now = await gateway.ask("Hello", {}).catch(() => undefined)
    if (now === undefined) return
    // Somebody else has logged in, in another tab: of the one before, nothing is shown any more.
    const isAnother = hello.value !== undefined && hello.value.person !== now.person
    hello.value = isAnother ? undefined : now
    if (isAnother) startAnew()
  }
  const follow = () => {
    unfollow()
    unfollow = gateway.follow("Events", position === undefined ? {} : { after: position }, {
      each: (event) => {
        trouble.value = undefined
        take(event)
      },
      end: (error) => {
        if (link.value.state !== "open") return
        trouble.value = error === undefined ? undefined : wordsOf(error)
        later(() => {
          if (link.value.state === "open") follow()
        }, AGAIN_MS)
      }
    })
  }
  gateway.onLink((next) => {
    const before = link.value.state
    link.value = next
    if (next.state !== "open") trouble.value = undefined
    if (next.state !== "open" || before === "open") return
    void greet()
    follow()
  })

  return {
    gateway,
    link,
    hello,
    isOut: computed(() => link.value.state === "refused" && hello.value?.person !== undefined),
    mayChange: computed(() => hello.value?.powers === "all"),
    statuses,
    figures,
    questions,
    configuration,
    revisions,
    trouble,
    kept: new Map(),
    hear: (tag, told) => {
      const those = listeners.get(tag) ?? new Set()
      listeners.set(tag, those.add(told as never))
      return () => void those.delete(told as never)
    }
  }
}
