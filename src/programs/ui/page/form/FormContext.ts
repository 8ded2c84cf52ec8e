/** What every field of one form needs: the ids of its elements, and what is wrong with it. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"

export interface FormState {
  /** Tells several forms apart. */
  readonly id: string
  readonly wordsAt: (place: string) => ReadonlyArray<string>
  readonly isDisabled: boolean
}

const Given = createContext<FormState>({ id: "form", wordsAt: () => [], isDisabled: false })

export const FormProvider = Given.Provider

/** A name may have blanks, which separate ids. */
export const fieldId = (form: string, place: string): string => `${form}${encodeURIComponent(place)}`

export const useField = (place: string) => {
  const { id, isDisabled, wordsAt } = useContext(Given)
  const own = fieldId(id, place)
  const words = wordsAt(place)
  return {
    id: own,
    aboutId: `${own}-about`,
    errorId: `${own}-error`,
    words,
    isDisabled,
    /** For the element that takes the value. */
    described: {
      id: own,
      disabled: isDisabled,
      "aria-invalid": words.length > 0,
      "aria-describedby": `${own}-about${words.length > 0 ? ` ${own}-error` : ""}`
    } as const
  }
}
