/** Says when the gateway cannot be reached. What is shown then is what was known last. */
import { useStore } from "../store/context.ts"

export const Banner = () => {
  const { gateway, isOut, link } = useStore()
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
      ) : null}
    </div>
  )
}
