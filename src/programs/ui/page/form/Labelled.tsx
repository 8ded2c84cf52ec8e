/** A field with its label, what the server says about it, its limits, and what is wrong. */
import type { ComponentChildren } from "preact"
import { ServerText } from "../text/ServerText.tsx"
import type { Field } from "./Field.ts"
import { useField } from "./FormContext.ts"
import { limitsOf } from "./limits.ts"

export interface LabelledProps {
  readonly label: string
  readonly field: Field
  readonly place: string
  readonly isRequired: boolean
  readonly children: ComponentChildren
  /** Several elements together take the value. */
  readonly isGroup?: boolean
  /** Buttons beside the label. */
  readonly actions?: ComponentChildren
}

/** Where the field itself shows the rest. */
const SHORT_TYPES: Readonly<Partial<Record<Field["kind"], string>>> = {
  object: "object",
  options: "one of several kinds",
  choice: "choice",
  choices: "some of these",
  list: "list"
}

export const About = ({ field, id }: { readonly field: Field; readonly id: string }) => {
  const limits = limitsOf(field)
  return (
    <div id={id} class="entry-about">
      {field.about === undefined ? null : <ServerText text={field.about} />}
      {limits.length === 0 ? null : (
        <p class="quiet">
          <ServerText text={limits.join(", ")} isInline />
        </p>
      )}
      {field.notes.map((note) => (
        <p key={note} class="quiet">
          <ServerText text={note} isInline />
        </p>
      ))}
    </div>
  )
}

const Errors = ({ id, words }: { readonly id: string; readonly words: ReadonlyArray<string> }) =>
  words.length === 0 ? null : (
    <p id={id} class="entry-error">
      {words.join(" ")}
    </p>
  )

export const Labelled = ({ actions, children, field, isGroup = false, isRequired, label, place }: LabelledProps) => {
  const { aboutId, errorId, id, words } = useField(place)
  const name = (
    <>
      <span class="entry-name">
        <ServerText text={label} isInline />
      </span>{" "}
      <span class="entry-type">
        <ServerText text={SHORT_TYPES[field.kind] ?? field.type} isInline />
        {isRequired ? ", required" : ""}
      </span>
    </>
  )
  if (!isGroup) {
    return (
      <div class="entry" data-wrong={words.length > 0}>
        <div class="entry-head">
          <label htmlFor={id}>{name}</label>
          {actions}
        </div>
        <About field={field} id={aboutId} />
        {children}
        <Errors id={errorId} words={words} />
      </div>
    )
  }
  return (
    <div
      class="entry entry-group"
      data-wrong={words.length > 0}
      role="group"
      id={id}
      tabIndex={-1}
      aria-labelledby={`${id}-label`}
      aria-describedby={`${aboutId}${words.length > 0 ? ` ${errorId}` : ""}`}
    >
      <div class="entry-head">
        <span id={`${id}-label`}>{name}</span>
        {actions}
      </div>
      <About field={field} id={aboutId} />
      {children}
      <Errors id={errorId} words={words} />
    </div>
  )
}
