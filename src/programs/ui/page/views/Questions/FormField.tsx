/** One field of a server's form, as the browser's own control: it says itself what is missing. */
import type { ComponentChildren } from "preact"
import type { Field } from "./form.ts"

const Described = ({ children, field, id }: { field: Field; id: string; children: ComponentChildren }) => (
  <div class="field">
    {children}
    {field.description === "" ? null : (
      <p id={`${id}-about`} class="quiet">
        {field.description}
      </p>
    )}
  </div>
)

const Control = ({ field, id }: { readonly field: Field; readonly id: string }) => {
  const { isRequired, kind, max, min, name, preset } = field
  const same = {
    id,
    name,
    required: isRequired,
    "aria-describedby": field.description === "" ? undefined : `${id}-about`
  }
  switch (kind.type) {
    case "one":
      return (
        <select {...same} defaultValue={String(preset ?? "")}>
          <option value="">–</option>
          {kind.choices.map(({ title, value }) => (
            <option key={value} value={value} selected={value === preset}>
              {title}
            </option>
          ))}
        </select>
      )
    case "number":
      return (
        <input
          {...same}
          type="number"
          step={kind.isWhole ? 1 : "any"}
          min={min}
          max={max}
          defaultValue={preset === undefined ? "" : String(preset)}
        />
      )
    case "text":
      return (
        <input
          {...same}
          type={kind.input as "text"}
          minLength={min}
          maxLength={max}
          defaultValue={preset === undefined ? "" : String(preset)}
          autocomplete="off"
        />
      )
    default:
      return null
  }
}

export const FormField = ({ field, id }: { readonly field: Field; readonly id: string }) => {
  const { kind, name, preset, title } = field
  if (kind.type === "flag") {
    return (
      <Described field={field} id={id}>
        <label class="check">
          <input type="checkbox" id={id} name={name} defaultChecked={preset === true} /> {title}
        </label>
      </Described>
    )
  }
  if (kind.type === "many") {
    const chosen: ReadonlyArray<unknown> = Array.isArray(preset) ? preset : []
    return (
      <Described field={field} id={id}>
        <fieldset>
          <legend>{title}</legend>
          {kind.choices.map(({ title: its, value }) => (
            <label key={value} class="check">
              <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} /> {its}
            </label>
          ))}
        </fieldset>
      </Described>
    )
  }
  return (
    <Described field={field} id={id}>
      <label for={id}>
        {title}
        {field.isRequired ? <span class="quiet"> (required)</span> : null}
      </label>
      <Control field={field} id={id} />
    </Described>
  )
}
