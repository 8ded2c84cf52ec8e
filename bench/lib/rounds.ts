/** Runs variants in turns within one process, so that all of them meet the same machine. */

export interface Timed {
  readonly name: string
  /** Does one block of work. */
  readonly block: () => Promise<void>
}

export interface Samples {
  readonly name: string
  /** Milliseconds of each block. */
  readonly wall: ReadonlyArray<number>
  /** Milliseconds of CPU that this process used in each block. */
  readonly cpu: ReadonlyArray<number>
}

export interface Rounds {
  readonly rounds: number
  /** Rounds at the beginning that are not counted. */
  readonly warmUp: number
  /** Whether garbage is collected before each block, outside of the time taken. */
  readonly collect?: boolean
}

const measure = async (block: () => Promise<void>) => {
  const cpu = process.cpuUsage()
  const start = performance.now()
  await block()
  const wall = performance.now() - start
  const used = process.cpuUsage(cpu)
  return { wall, cpu: (used.user + used.system) / 1000 }
}

/** A, B, C; B, C, A; C, A, B; … */
export const interleave = async (
  variants: ReadonlyArray<Timed>,
  { collect = false, rounds, warmUp }: Rounds
): Promise<ReadonlyArray<Samples>> => {
  const samples = variants.map(({ name }) => ({ name, wall: [] as Array<number>, cpu: [] as Array<number> }))
  for (let round = -warmUp; round < rounds; round++) {
    for (let turn = 0; turn < variants.length; turn++) {
      const index = (turn + round + warmUp) % variants.length
      if (collect) globalThis.gc?.()
      const { cpu, wall } = await measure(variants[index]!.block)
      if (round < 0) continue
      samples[index]!.wall.push(wall)
      samples[index]!.cpu.push(cpu)
    }
  }
  return samples
}

export const samplesOf = (samples: ReadonlyArray<Samples>, name: string): Samples => {
  const found = samples.find((each) => each.name === name)
  if (found === undefined) throw new Error(`no samples of ${name}`)
  return found
}
