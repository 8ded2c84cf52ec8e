/**
 * Tracks the position in a JSON text, as far as it matters for media. They are only in `params.arguments.images[].data` and
 * `params.arguments.files[].data` of a message, or of a message in a list.
 */
import { FILES, IMAGES, type MediaKind } from "../../schemas/agent/OrderInput.ts"

/** The steps of the path, by their depth in a message. */
const [IN_MESSAGE, IN_PARAMS, IN_ARGUMENTS, IN_LIST, IN_ENTRY] = [1, 2, 3, 4, 5]
const KINDS: ReadonlyMap<string, MediaKind> = new Map([IMAGES, FILES].map((kind) => [kind.key, kind]))

export interface MediaPlace {
  readonly kind: MediaKind
  readonly index: number
}

export class MediaPlaces {
  #depth = 0
  /** How many of the open lists and objects, from the outermost on, are on the path to media. */
  #onWay = 0
  #isBatch = false
  #kind: MediaKind = IMAGES
  #index = 0
  #key = ""
  #expectsKey = false

  /** Whether the string that begins here is a key that matters. */
  get wantsKey(): boolean {
    return this.#expectsKey && this.#isOnWay
  }

  key(name: string): void {
    this.#key = name
    this.#expectsKey = false
  }

  /** The medium that begins here, if the string is one. */
  get medium(): MediaPlace | undefined {
    if (!this.#isOnWay || this.#step !== IN_ENTRY || this.#expectsKey || this.#key !== "data") return undefined
    return { kind: this.#kind, index: this.#index }
  }

  /** A list or an object begins. Gives the kind of media of which there are too many with it. */
  open(isList: boolean): MediaKind | undefined {
    const isOnWay = this.#isOnWay && this.#leadsOn(isList)
    this.#depth++
    if (!isOnWay) return undefined
    this.#onWay++
    this.#expectsKey = !isList
    return this.#step === IN_ENTRY && this.#index >= this.#kind.max ? this.#kind : undefined
  }

  close(): void {
    if (this.#isOnWay) this.#onWay--
    this.#depth--
    this.#expectsKey = false
  }

  comma(): void {
    if (!this.#isOnWay) return
    if (this.#step === IN_LIST) this.#index++
    else this.#expectsKey = this.#step > 0
  }

  get #isOnWay(): boolean {
    return this.#depth === this.#onWay
  }

  get #step(): number {
    return this.#depth - (this.#isBatch ? 1 : 0)
  }

  #leadsOn(isList: boolean): boolean {
    switch (this.#step) {
      case 0:
        if (isList && this.#depth === 0) this.#isBatch = true
        else return !isList
        return true
      case IN_MESSAGE:
        return !isList && this.#key === "params"
      case IN_PARAMS:
        return !isList && this.#key === "arguments"
      case IN_ARGUMENTS: {
        const kind = isList ? KINDS.get(this.#key) : undefined
        this.#kind = kind ?? this.#kind
        this.#index = 0
        return kind !== undefined
      }
      case IN_LIST:
        return !isList
      default:
        return false
    }
  }
}
