/** What a server says about itself: its instructions as the model reads them, and its capabilities. */
import type { ServerView } from "../../../../../schemas/control/ServerView.ts"
import { ModelText } from "../../parts/ModelText.tsx"

const UNKNOWN = "Unknown until it has been connected."

export const About = ({ view: { capabilities, instructions } }: { readonly view: ServerView }) => (
  <>
    <section class="panel" aria-labelledby="instructions-title">
      <h2 id="instructions-title">Instructions</h2>
      {instructions === null ? (
        <p class="quiet">{capabilities === null ? UNKNOWN : "It gives none."}</p>
      ) : (
        <ModelText text={instructions} label="The instructions as the model reads them" />
      )}
    </section>
    <section class="panel" aria-labelledby="capabilities-title">
      <h2 id="capabilities-title">Capabilities</h2>
      {capabilities === null ? (
        <p class="quiet">{UNKNOWN}</p>
      ) : (
        <pre class="model-text" tabIndex={0} role="group" aria-labelledby="capabilities-title">
          {JSON.stringify(capabilities, null, 2)}
        </pre>
      )}
    </section>
  </>
)
