import { RPC } from "./expectations/rpc.ts"
import { playClass } from "./group.ts"

playClass("RPC", RPC)
