/** What the keys do. */
import { viewsOf } from "../router.ts"
import { useStore } from "../store/context.ts"
import { VIEW_ENTRIES } from "../views/views.ts"
import { Dialog } from "./Dialog.tsx"

const OTHERS: ReadonlyArray<readonly [keys: ReadonlyArray<string>, does: string]> = [
  [["/"], "Search in the view"],
  [["↑", "↓"], "From row to row of a table"],
  [["Enter"], "Open the row"],
  [["Esc"], "Close what is open"],
  [["?"], "This help"]
]

export const Help = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <dl class="keys">
      {viewsOf(useStore().hello.value).map((view) => (
        <div key={view}>
          <dt>
            <kbd>g</kbd> <kbd>{VIEW_ENTRIES[view].key}</kbd>
          </dt>
          <dd>{VIEW_ENTRIES[view].title}</dd>
        </div>
      ))}
      {OTHERS.map(([keys, does]) => (
        <div key={does}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
