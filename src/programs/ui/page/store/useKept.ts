/** What a view makes once and finds again when it is shown again, such as a text that is half written. It lives as long as the page. */
import { useStore } from "./context.ts"
import type { Store } from "./Store.ts"

export const useKept = <A>(name: string, make: (store: Store) => A): A => {
  const store = useStore()
  if (!store.kept.has(name)) store.kept.set(name, make(store))
  return store.kept.get(name) as A
}
