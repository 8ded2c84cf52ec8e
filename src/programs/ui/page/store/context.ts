/** How components reach what belongs to the whole page. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Router } from "../router.ts"
import type { Theme } from "../theme.ts"
import type { Store } from "./Store.ts"

export interface Page {
  readonly store: Store
  readonly router: Router
  readonly theme: Theme
}

const Given = createContext<Page | undefined>(undefined)

export const PageProvider = Given.Provider

export const usePage = (): Page => {
  const page = useContext(Given)
  if (page === undefined) throw new Error("a component stands outside of the page")
  return page
}
export const useStore = (): Store => usePage().store
export const useRouter = (): Router => usePage().router
