/** A login at a server: the address to open, in full, and what comes of it. Closing it gives the login up. */
import { useEffect, useState } from "preact/hooks"
import type { LoginEvent } from "../../../../../schemas/control/Login.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { useStore } from "../../store/context.ts"
import { wordsOf } from "../../store/Gateway.ts"
import { isOpenable } from "./loginAddress.ts"

const Address = ({ event }: { readonly event: LoginEvent & { readonly _tag: "Page" } }) => (
  <>
    <p>Open this address in a browser of the machine that the gateway runs on, and log in there:</p>
    <p class="address">
      {isOpenable(event.url) ? (
        <a href={event.url} target="_blank" rel="noopener noreferrer">
          {event.url}
        </a>
      ) : (
        <code>{event.url}</code>
      )}
    </p>
    <p class="quiet">
      It comes from the server. Access is granted by {event.issuer}
      {event.scopes.length === 0 ? "" : `, for ${event.scopes.join(", ")}`}.
    </p>
  </>
)

export const Login = ({ onClose, server }: { readonly server: string; readonly onClose: () => void }) => {
  const { gateway } = useStore()
  const [event, setEvent] = useState<LoginEvent>()
  const [fault, setFault] = useState<string>()
  useEffect(
    () =>
      gateway.follow(
        "Login",
        { server },
        { each: setEvent, end: (error) => setFault(error === undefined ? undefined : wordsOf(error)) }
      ),
    [gateway, server]
  )
  return (
    <Dialog title={`Log in at ${server}`} onClose={onClose}>
      <div role="status">
        {fault !== undefined ? (
          <p class="bad-text">{fault}</p>
        ) : event === undefined ? (
          <p class="quiet">Asking the server where to log in…</p>
        ) : event._tag === "Page" ? (
          <Address event={event} />
        ) : (
          <p class="good-text">
            You are logged in; {event.issuer} has granted access. The server is started again by itself.
          </p>
        )}
      </div>
    </Dialog>
  )
}
