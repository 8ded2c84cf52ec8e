/** The page on which a person sees and steers this process, in a browser of this machine. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { PageUnavailable } from "../../schemas/control/Login.ts"

/**
 * The page on which a person sees and steers this process, in a browser of this machine. It uses the control contract, like the commands. Nothing
 * listens before the first address is asked for.
 */
export class ControlPage extends Context.Service<
  ControlPage,
  {
    /**
     * An address that lets one browser in, once and within a short time. `readOnly` lets it only look; a gateway whose page is for looking never
     * lets it do more.
     */
    readonly address: (asked: { readonly readOnly?: boolean | undefined }) => Effect.Effect<string, PageUnavailable>
  }
>()("mcp-live/services/ControlPage") {}
