/** What the running gateway says about its file. */
import { useStore } from "../../store/context.ts"
import type { ConfigFileValue } from "../../../../../schemas/control/ConfigFile.ts"

export const FileState = ({ file }: { readonly file: ConfigFileValue }) => {
  const { configuration } = useStore()
  const { fault, pending, watched } = configuration.value ?? file.state
  return (
    <div class="notes">
      {file.locked === undefined ? null : <p class="note">This file is not edited here: {file.locked}</p>}
      {file.isThere ? null : <p class="note">The file is not there yet. Saving creates it.</p>}
      {fault === null ? null : (
        <p class="note bad">The file cannot be used as it is now; the previous one stays in effect. {fault}</p>
      )}
      {pending.length === 0 ? null : (
        <p class="note warn">Counts only when the gateway is started again: {pending.join(", ")}.</p>
      )}
      {file.masked === 0 ? null : (
        <p class="note">
          {file.masked === 1 ? "One secret is" : `${file.masked} secrets are`} masked. Leave a mark as it is, and the
          value stays; write something else, and it is replaced.
        </p>
      )}
      {watched ? null : (
        <p class="note">The gateway does not watch the file: only what is saved here counts at once.</p>
      )}
    </div>
  )
}
