/**
 * An event loop without turns: large work is done where it is asked for. Without it, a test that moves `TestClock` would have to wait
 * for real turns of the event loop whenever the machine is slow.
 */
import * as Layer from "effect/Layer"
import { EventLoop, makeEventLoop } from "../system/EventLoop.ts"
import { LargeWork } from "../system/largeWork.ts"

class InStep extends LargeWork {
  override inOwnTurn(work: () => void): void {
    work()
  }
}

export const inStep: Layer.Layer<never> = Layer.sync(EventLoop, () => ({
  ...makeEventLoop(),
  large: new InStep()
}))
