/** All that is wrong with a form, each with the way to its field. */
import type { Problem } from "../../form/entered.ts"
import { fieldId } from "../../form/FormContext.ts"
import { ServerText } from "../../text/ServerText.tsx"

const nameOf = (place: string): string =>
  place === ""
    ? "arguments"
    : place
        .slice(1)
        .split("/")
        .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
        .join(" › ")

export const Problems = ({ form, problems }: { readonly form: string; readonly problems: ReadonlyArray<Problem> }) => (
  <div role="alert">
    {problems.length === 0 ? null : (
      <div class="notice" data-tone="bad">
        <p>The tool was not called.</p>
        <ul>
          {problems.map(({ place, words }) => (
            <li key={`${place} ${words}`}>
              <button type="button" class="link" onClick={() => document.getElementById(fieldId(form, place))?.focus()}>
                <ServerText text={nameOf(place)} isInline />
              </button>
              : {words}
            </li>
          ))}
        </ul>
      </div>
    )}
  </div>
)
