/** Starts the page. */
import { render } from "preact"
import { App } from "./App.tsx"
import { makeRouter } from "./router.ts"
import { PageProvider } from "./store/context.ts"
import { makeStore } from "./store/Store.ts"
import { makeTheme } from "./theme.ts"
import { connect } from "./store/webSocket.ts"

/** A gateway that hangs takes connections and answers nothing. */
const REFUSAL_WAIT_MS = 2_000

const socketAddress = (): string => {
  const address = new URL("control", document.baseURI)
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:"
  address.hash = ""
  return address.href
}

const isRefused = async (): Promise<boolean> => {
  const signal = AbortSignal.timeout(REFUSAL_WAIT_MS)
  const { status } = await fetch(new URL(".", document.baseURI), { method: "HEAD", cache: "no-store", signal })
  return status === 401 || status === 403
}

const start = (place: HTMLElement): void => {
  const page = {
    router: makeRouter(window),
    store: makeStore(connect({ url: socketAddress(), isRefused })),
    theme: makeTheme(window)
  }
  render(
    <PageProvider value={page}>
      <App />
    </PageProvider>,
    place
  )
}

start(document.getElementById("page")!)
