/** What every field of one form needs: the ids of its elements, and what is wrong with it. */
import { createContext, type ComponentType } from "preact"
import { useContext } from "preact/hooks"
import type { FieldProps } from "./FieldProps.ts"

export interface FormState {
  /** Tells several forms apart. */
  readonly id: string
  readonly wordsAt: (place: string) => ReadonlyArray<string>
  readonly isDisabled: boolean
  /** The field of a value within another: it comes from outside, because it holds all those that need it. */
  readonly Inner: ComponentType<FieldProps>
}

const Given = createContext<FormState>({ id: "form", wordsAt: () => [], isDisabled: false, Inner: () => null })

export const FormProvider = Given.Provider

/** A name may have blanks, which separate ids. */
export const fieldId = (form: string, place: string): string => `${form}${encodeURIComponent(place)}`

export const useField = (place: string) => {
  const { Inner, id, isDisabled, wordsAt } = useContext(Given)
  const own = fieldId(id, place)
  const words = wordsAt(place)
  return {
    id: own,
    aboutId: `${own}-about`,
    errorId: `${own}-error`,
    words,
    isDisabled,
    Inner,
    /** For the element that takes the value. */
    described: {
      id: own,
      disabled: isDisabled,
      "aria-invalid": words.length > 0,
      "aria-describedby": `${own}-about${words.length > 0 ? ` ${own}-error` : ""}`
    } as const
  }
}
