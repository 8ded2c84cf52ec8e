/** Says once to the operator that a host, and once that a page, was refused, and which flag lets it in. */
import * as Effect from "effect/Effect"
import { LISTENER_NAME_MAX_CHARS } from "../../../../schemas/defaults/Listener.ts"
import type { Label } from "../../../../schemas/content/ServerText.ts"
import type { Run } from "../requests/running.ts"
import type { AdmissionOptions } from "./admission.ts"

const once = (isSaid: boolean, say: (name: string) => void): ((name: string) => void) => {
  let done = isSaid
  return (name) => {
    if (!done) say(name)
    done = true
  }
}

/** `known`: where the operator has named none, a foreign name is nothing to be told of. */
export const makeUnknownNames = (
  run: Run,
  label: Label,
  known: { readonly hosts: unknown; readonly origins: unknown }
): Pick<AdmissionOptions, "unknownHost" | "unknownPage"> => {
  const shown = (name: string) => label(name, LISTENER_NAME_MAX_CHARS)
  return {
    unknownHost: once(known.hosts === undefined, (host) => {
      const flag = "--allow-host NAME adds a name of this gateway"
      run(Effect.logWarning(`a request for the host ${shown(host)} was refused: ${flag}`))
    }),
    unknownPage: once(known.origins === undefined, (origin) => {
      const flag = "--allow-origin ORIGIN allows its requests"
      run(Effect.logWarning(`a request from a web page of ${shown(origin)} was refused: ${flag}`))
    })
  }
}
