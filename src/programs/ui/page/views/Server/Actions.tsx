/** Starts a server over, stops it, or logs in at it. What would interrupt calls is asked about first. */
import { useState } from "preact/hooks"
import type { ServerView } from "../../../../../schemas/control/ServerView.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { useStore } from "../../store/context.ts"
import { wordsOf } from "../../store/Gateway.ts"
import { Login } from "./Login.tsx"

type Act = "Reset" | "Stop"

const WORDS: Readonly<Record<Act, { readonly title: string; readonly yes: string; readonly done: string }>> = {
  Reset: { title: "Start the server over?", yes: "Start over", done: "It is started over." },
  Stop: { title: "Stop the server?", yes: "Stop", done: "It is stopped until you start it." }
}

/** A server that the operator has stopped is `Failed`. */
const STOPPED: ReadonlySet<string> = new Set(["Closed", "Disabled", "Failed", "Idle"])

const callWords = (calls: number): string => (calls === 1 ? "One call is" : `${calls} calls are`)

export const Actions = ({ view }: { readonly view: ServerView }) => {
  const { gateway } = useStore()
  const { login, name, status } = view
  const [asks, setAsks] = useState<Act>()
  const [said, setSaid] = useState("")
  const [isLoggingIn, setLoggingIn] = useState(false)
  const calls = status.inFlight ?? 0

  const act = async (what: Act) => {
    setAsks(undefined)
    try {
      const isThere = await gateway.ask(what, { server: name })
      setSaid(isThere ? WORDS[what].done : "No server has this name any more.")
    } catch (error) {
      setSaid(wordsOf(error))
    }
  }
  const request = (what: Act) => () => (calls > 0 ? setAsks(what) : void act(what))
  return (
    <>
      {login === "none" ? null : (
        <button type="button" class={login === "needed" ? "main" : undefined} onClick={() => setLoggingIn(true)}>
          Log in…
        </button>
      )}
      <button type="button" onClick={request("Reset")}>
        {STOPPED.has(status.state) ? "Start" : "Start over"}
      </button>
      <button type="button" disabled={STOPPED.has(status.state)} onClick={request("Stop")}>
        Stop
      </button>
      <span role="status" class="quiet">
        {said}
      </span>
      {asks === undefined ? null : (
        <Confirm
          title={WORDS[asks].title}
          yes={WORDS[asks].yes}
          onYes={() => void act(asks)}
          onNo={() => setAsks(undefined)}
        >
          <p>{callWords(calls)} under way at this server, of any agent or client. The answer is lost.</p>
        </Confirm>
      )}
      {isLoggingIn ? <Login server={name} onClose={() => setLoggingIn(false)} /> : null}
    </>
  )
}
