/** What the page knows: signals that follow the gateway. One object for the whole page; components get it with `useStore`. */
import { signal, type ReadonlySignal } from "@preact/signals"
import type { Hello } from "../../../../schemas/control/Control.ts"
import type { Gateway, Link } from "./Gateway.ts"

export interface Store {
  readonly gateway: Gateway
  readonly link: ReadonlySignal<Link>
  readonly hello: ReadonlySignal<Hello | undefined>
}

export const makeStore = (gateway: Gateway): Store => {
  const link = signal<Link>({ state: "connecting" })
  const hello = signal<Hello | undefined>(undefined)
  const greet = async () => {
    hello.value = await gateway.ask("Hello", {}).catch(() => hello.value)
  }
  gateway.onLink((next) => {
    link.value = next
    if (next.state === "open") {
      void greet()
    }
  })
  return { gateway, link, hello }
}
