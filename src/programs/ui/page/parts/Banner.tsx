/** Says when the gateway cannot be reached or followed. What is shown then is what was known last. */
import { useStore } from "../store/context.ts"

export const Banner = () => {
  const { gateway, isOut, link, trouble } = useStore()
  const { state } = link.value
  return (
    <div class="banner" role="status" data-state={state}>
      {state === "lost" ? (
        <p>
          The gateway does not answer. What you see is what was known last; the page connects again by itself.{" "}
          <button type="button" class="link" onClick={gateway.retry}>
            Try now
          </button>
        </p>
      ) : isOut.value ? (
        <p>
          Your login has ended.{" "}
          <button type="button" class="link" onClick={() => window.location.reload()}>
            Log in again
          </button>
        </p>
      ) : state === "refused" ? (
        <p>
          This page is not let in any more. Run <code>mcp-live ui</code> for a fresh address.
        </p>
      ) : trouble.value !== undefined ? (
        <p>
          What happens at the gateway cannot be followed: what you see is what was known last. {trouble.value}{" "}
          <button type="button" class="link" onClick={() => window.location.reload()}>
            Load the page again
          </button>
        </p>
      ) : null}
    </div>
  )
}
